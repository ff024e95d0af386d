/* GPUs that follow what the stand-in for CUDA computes on them: they warm up, draw power, raise their clocks and cool. */
#include "stand_in.h"

#include <fcntl.h>
#include <math.h>
#include <time.h>

static const double at_rest_c = 36, warmth_c = 28, settles_s = 8, recent_s = 0.6;

int is_h200(const Gpu *gpu) {
    static int model = -1;
    if (model < 0) {
        const char *told = getenv("FAKE_NVML_MODEL");
        model = !told ? 0 : !strcmp(told, "h200") ? 2 : 1;
    }
    return model ? model == 2 : gpu->index % 2;
}

int live(void) { return getenv("FAKE_NVML_LIVE") != NULL; }

void uuid_of(const Gpu *gpu, char uuid[64]) {
    snprintf(uuid, 64, "GPU-%08x-1111-2222-3333-444444444444", gpu->index);
    if (gpu->index == 1) strcpy(uuid, "GPU-11111111-2222-3333-4444-555555555555");
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The ledger begins with the moment at which the card last worked. */
static int works(const Gpu *gpu) {
    char path[1200], uuid[64];
    int64_t worked_ns = 0;
    uuid_of(gpu, uuid);
    snprintf(path, sizeof path, "%s/%s.ledger", getenv("FAKE_NVML_LIVE"), uuid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t got = read(file, &worked_ns, sizeof worked_ns);
    close(file);
    return got == sizeof worked_ns && worked_ns && now_s() - 1e-9 * (double)worked_ns < recent_s;
}

int64_t at_work(const Gpu *gpu, int64_t rest, int64_t work, int64_t otherwise) {
    return !live() ? otherwise : works(gpu) ? work : rest;
}

typedef struct { double seen_s, warmth, energy_j; } State;

static State *followed(const Gpu *gpu) {
    static State states[MOST_GPUS];
    State *state = &states[gpu->index];
    double now = now_s(), passed = state->seen_s ? now - state->seen_s : 0;
    int working = works(gpu);
    state->warmth += (working - state->warmth) * (1 - exp(-passed / settles_s));
    state->energy_j += passed * (working ? 320 : 24);
    state->seen_s = now;
    return state;
}

int64_t live_temperature(const Gpu *gpu) { return (int64_t)(at_rest_c + warmth_c * followed(gpu)->warmth); }
int64_t live_energy_mj(const Gpu *gpu) { return (int64_t)(1e3 * followed(gpu)->energy_j) + 1000; }
int64_t live_power_mw(const Gpu *gpu) {
    int64_t wobble = (int64_t)(now_s() * 1e6) % 3000;
    return (is_h200(gpu) ? at_work(gpu, 75000, 660000, 0) : at_work(gpu, 24000, 330000, 0)) + wobble;
}
