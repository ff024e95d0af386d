/* The numbered fields; each has its own return code. */
#include "stand_in.h"

typedef struct {
    uint32_t field, scope;
    int64_t timestamp, latency_us;
    uint32_t type, code;
    union { double d; uint32_t u; uint64_t ull; int32_t s; } value;
} Field;

/* Who has a field: the GeForce, the H200, and whether an old driver knows it. */
enum { GEFORCE = 1, H200 = 2, BOTH = 3, RECENT = 4 };
typedef struct { int field, who; char type; double value; } Known;
static const Known known[] = {
    {3, H200, 'l', 3},              /* ECC corrected, volatile */
    {4, H200, 'l', 0},              /* ECC uncorrected, volatile */
    {5, H200, 'l', 10},             /* ECC corrected, lifetime */
    {6, H200, 'l', 1},              /* ECC uncorrected, lifetime */
    {38, H200, 'l', 0},             /* NVLink CRC of flits */
    {45, H200, 'l', 4},             /* NVLink CRC of data */
    {52, H200, 'l', 1},             /* NVLink replays */
    {59, H200, 'l', 0},             /* NVLink recoveries */
    {74, BOTH | RECENT, 'l', 5e9},  /* ns held by the power limit */
    {75, BOTH | RECENT, 'l', 1e9},  /* ns held by heat, older number */
    {76, BOTH | RECENT, 'l', 0},    /* ns of sync boost */
    {77, BOTH | RECENT, 'l', 2e9},  /* ns held by the board's limit */
    {79, BOTH | RECENT, 'l', 0},    /* ns held by reliability */
    {82, H200, 'u', 40},            /* memory temperature */
    {83, BOTH | RECENT, 'l', 7.5e6}, /* energy, mJ */
    {90, H200, 'u', 26562},         /* MB/s of a link */
    {91, H200, 'u', LINKS},         /* NVLinks of the chip */
    {94, BOTH, 'u', 2},             /* PCIe replays */
    {138, H200, 'l', 4096},         /* NVLink KiB sent */
    {139, H200, 'l', 8192},         /* NVLink KiB received */
    {142, H200, 'u', 1},            /* rows remapped after corrected errors */
    {143, H200, 'u', 0},            /* after uncorrected ones */
    {144, H200, 'u', 0},            /* pending */
    {145, H200, 'u', 0},            /* failed */
    {169, H200 | RECENT, 'u', 6},   /* PCIe recoveries */
    {173, H200 | RECENT, 'u', 5},   /* PCIe correctable errors */
    {179, H200 | RECENT, 'u', 0},   /* non-fatal ones */
    {180, H200 | RECENT, 'u', 0},   /* fatal ones */
    {185, BOTH | RECENT, 'u', 333000}, /* mean power, mW */
    {186, BOTH | RECENT, 'u', 351000}, /* power now, mW */
    {193, H200 | RECENT, 's', -8},  /* shutdown, as margin */
    {194, H200 | RECENT, 's', -2},  /* slowdown, as margin */
    {195, H200 | RECENT, 's', 0},   /* the memory's maximum, as margin */
    {196, H200 | RECENT, 's', 0},   /* maximum, as margin */
    {197, H200 | RECENT, 'u', 1e6}, /* PCIe bytes sent */
    {198, H200 | RECENT, 'u', 2e6}, /* PCIe bytes received */
    {230, H200 | RECENT, 'u', 0},   /* recovery action */
    {269, BOTH | RECENT, 'l', 1e9}, /* ns held by software for heat */
    {270, BOTH | RECENT, 'l', 0},   /* ns held by hardware for heat */
    {271, BOTH | RECENT, 'l', 0},   /* ns held by the power brake */
};

static void put(Field *field, char type, double value) {
    switch (type) {
    case 'u': field->type = 1; field->value.u = (uint32_t)value; break;
    case 'l': field->type = 3; field->value.ull = (uint64_t)value; break;
    default: field->type = 5; field->value.s = (int32_t)value;
    }
}

/* On a live GPU nothing was counted yet, and what is measured follows the work. */
static double value_of(const Gpu *gpu, const Known *field) {
    if (!live()) return field->value;
    switch (field->field) {
    case 82: return (double)live_temperature(gpu) + 6;
    case 83: return (double)live_energy_mj(gpu);
    case 185: case 186: return (double)live_power_mw(gpu);
    case 91: case 138: case 139: case 193: case 194: case 195: case 196: case 197: case 198: return field->value;
    default: return 0;
    }
}

static void answer_field(const Gpu *gpu, Field *field) {
    char name[32];
    const char *digits = name + strlen("field");
    int64_t told;
    snprintf(name, sizeof name, "field%u", field->field);
    field->latency_us = 25;
    field->code = (uint32_t)enter(name, gpu);
    if (field->code) return;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].field != (int)field->field || !(known[i].who & (is_h200(gpu) ? H200 : GEFORCE))) continue;
#ifdef OLD_DRIVER
        if (known[i].who & RECENT) break;
#endif
        put(field, known[i].type, named("FAKE_NVML_FIELDS", digits, gpu, &told) ? (double)told : value_of(gpu, &known[i]));
        return;
    }
    field->code = NOT_SUPPORTED;
}

int nvmlDeviceGetFieldValues(Gpu *gpu, int count, Field *fields) {
    ENTER(gpu);
    for (int i = 0; i < count; i++) answer_field(gpu, &fields[i]);
    return OK;
}
