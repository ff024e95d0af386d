/* Stands in for libnvidia-ml.so.1 in tests: two GPUs that answer, refuse, lie, fall off the bus or hang as told.
 *
 * GPU 0 is like a GeForce RTX 3090: absolute limits, two fans, no margin, no memory temperature.
 * GPU 1 is like an H200: limits only as margins, no fans, memory temperature.
 *
 * Environment:
 *   FAKE_NVML_INIT=9               what the initialisation returns
 *   FAKE_NVML_COUNT=0              how many GPUs there are (at most 2)
 *   FAKE_NVML_RETURN="f=3 1:g=999" what functions return, on all GPUs or on one
 *   FAKE_NVML_TEMPERATURE=-1       core temperature of all GPUs
 *   FAKE_NVML_POWER=4294967295     power draw of all GPUs, mW
 *   FAKE_NVML_LOST_AFTER=n         GPU 1 is lost (15) once its temperature was asked n times
 *   FAKE_NVML_HANG=function        this function never returns
 *   FAKE_NVML_LOG=path             each call adds a line: function and GPU
 * With -DOLD_DRIVER the functions of recent drivers are missing.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, GPU_IS_LOST = 15 };
typedef unsigned int uint;
typedef struct { int index; uint temperature_reads; } Gpu;
static Gpu gpus[2] = {{0, 0}, {1, 0}};

static void hang(void) { for (;;) pause(); }

static uint from_environment(const char *name, uint otherwise) {
    const char *text = getenv(name);
    return text ? (uint)strtoll(text, NULL, 10) : otherwise;
}

/* The return code that FAKE_NVML_RETURN asks for, 0 if it names neither the function nor the GPU. */
static int wanted_return(const char *function, int index) {
    const char *text = getenv("FAKE_NVML_RETURN");
    char words[1024];
    if (!text) return OK;
    snprintf(words, sizeof words, "%s", text);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        if (!equals) continue;
        *equals = 0;
        char *colon = strchr(word, ':');
        if (colon && atoi(word) != index) continue;
        const char *name = colon ? colon + 1 : word;
        if (!strcmp(name, "*") || !strcmp(name, function)) return atoi(equals + 1);
    }
    return OK;
}

/* What every function does first. */
static int enter(const char *function, const Gpu *gpu) {
    int index = gpu ? gpu->index : -1;
    const char *log = getenv("FAKE_NVML_LOG"), *hanging = getenv("FAKE_NVML_HANG");
    if (log) {
        FILE *file = fopen(log, "a");
        fprintf(file, "%s %d\n", function, index);
        fclose(file);
    }
    if (hanging && !strcmp(hanging, function)) hang();
    if (gpu && index == 1 && gpu->temperature_reads >= from_environment("FAKE_NVML_LOST_AFTER", UINT32_MAX))
        return GPU_IS_LOST;
    return wanted_return(function, index);
}

#define ENTER(gpu) do { int code = enter(__func__, gpu); if (code) return code; } while (0)
#define ANSWER(value) do { ENTER(gpu); *answer = (value); return OK; } while (0)

/* --- the driver --- */
int nvmlInitWithFlags(uint flags) { (void)flags; ENTER(NULL); return (int)from_environment("FAKE_NVML_INIT", OK); }
int nvmlInit_v2(void) { return nvmlInitWithFlags(0); }
int nvmlShutdown(void) { ENTER(NULL); return OK; }
const char *nvmlErrorString(int code) { (void)code; return "an error of the stand-in"; }
static int copy(char *buffer, uint length, const char *text) { snprintf(buffer, length, "%s", text); return OK; }
int nvmlSystemGetDriverVersion(char *buffer, uint length) { ENTER(NULL); return copy(buffer, length, "580.65.06"); }
int nvmlSystemGetCudaDriverVersion(int *version) { ENTER(NULL); *version = 13000; return OK; }
int nvmlDeviceGetCount_v2(uint *count) { ENTER(NULL); *count = from_environment("FAKE_NVML_COUNT", 2); return OK; }
int nvmlDeviceGetHandleByIndex_v2(uint index, Gpu **handle) {
    int code = enter(__func__, NULL);
    if (!code) code = wanted_return(__func__, (int)index);
    if (code) return code;
    if (index > 1) return INVALID_ARGUMENT;
    *handle = &gpus[index];
    return OK;
}

/* --- what a GPU is --- */
int nvmlDeviceGetName(Gpu *gpu, char *buffer, uint length) {
    ENTER(gpu);
    return copy(buffer, length, gpu->index ? "NVIDIA H200" : "NVIDIA GeForce RTX 3090");
}
int nvmlDeviceGetUUID(Gpu *gpu, char *buffer, uint length) {
    ENTER(gpu);
    return copy(buffer, length, gpu->index ? "GPU-11111111-2222-3333-4444-555555555555"
                                           : "GPU-00000000-1111-2222-3333-444444444444");
}
int nvmlDeviceGetVbiosVersion(Gpu *gpu, char *buffer, uint length) { ENTER(gpu); return copy(buffer, length, "94.02.42.80.13"); }
int nvmlDeviceGetSerial(Gpu *gpu, char *buffer, uint length) {
    ENTER(gpu);
    return gpu->index ? copy(buffer, length, "1650224000001") : NOT_SUPPORTED;
}
typedef struct { char legacy[16]; uint domain, bus, device, id, subsystem; char bus_id[32]; } Pci;
int nvmlDeviceGetPciInfo_v3(Gpu *gpu, Pci *pci) {
    ENTER(gpu);
    memset(pci, 0, sizeof *pci);
    strcpy(pci->bus_id, gpu->index ? "00000000:C1:00.0" : "00000000:41:00.0");
    return OK;
}
int nvmlDeviceGetCudaComputeCapability(Gpu *gpu, int *major, int *minor) {
    ENTER(gpu);
    *major = gpu->index ? 9 : 8;
    *minor = gpu->index ? 0 : 6;
    return OK;
}
int nvmlDeviceGetMaxPcieLinkGeneration(Gpu *gpu, uint *answer) { ANSWER(gpu->index ? 5 : 4); }
int nvmlDeviceGetMaxPcieLinkWidth(Gpu *gpu, uint *answer) { ANSWER(16); }
int nvmlDeviceGetEccMode(Gpu *gpu, int *now, int *pending) {
    ENTER(gpu);
    if (!gpu->index) return NOT_SUPPORTED;
    *now = 1;
    *pending = 0;
    return OK;
}
int nvmlDeviceGetPersistenceMode(Gpu *gpu, int *answer) { ANSWER(1); }
int nvmlDeviceGetPowerManagementDefaultLimit(Gpu *gpu, uint *answer) { ANSWER(gpu->index ? 700000 : 350000); }
int nvmlDeviceGetTemperatureThreshold(Gpu *gpu, int threshold, uint *answer) {
    static const int limits[6] = {98, 95, -1, 93, -1, 83};
    ENTER(gpu);
    if (gpu->index || threshold > 5 || limits[threshold] < 0) return NOT_SUPPORTED;
    *answer = (uint)limits[threshold];
    return OK;
}
int nvmlDeviceGetNumFans(Gpu *gpu, uint *answer) { ANSWER(gpu->index ? 0 : 2); }

/* --- what a GPU measures --- */
static uint temperature(Gpu *gpu) {
    gpu->temperature_reads++;
    return from_environment("FAKE_NVML_TEMPERATURE", gpu->index ? 33 : 61);
}
int nvmlDeviceGetTemperature(Gpu *gpu, int sensor, uint *answer) { (void)sensor; ANSWER(temperature(gpu)); }
int nvmlDeviceGetPowerUsage(Gpu *gpu, uint *answer) { ANSWER(from_environment("FAKE_NVML_POWER", gpu->index ? 120500 : 348250)); }
int nvmlDeviceGetEnforcedPowerLimit(Gpu *gpu, uint *answer) { ANSWER(gpu->index ? 700000 : 300000); }
int nvmlDeviceGetClockInfo(Gpu *gpu, int type, uint *answer) { ANSWER(type == 2 ? 9501 : 1695); }
int nvmlDeviceGetUtilizationRates(Gpu *gpu, uint answer[2]) { ENTER(gpu); answer[0] = 98; answer[1] = 40; return OK; }
int nvmlDeviceGetMemoryInfo(Gpu *gpu, uint64_t answer[3]) {
    ENTER(gpu);
    answer[0] = 24576ull << 20;
    answer[1] = 4096ull << 20;
    answer[2] = 20480ull << 20;
    return OK;
}
int nvmlDeviceGetFanSpeed(Gpu *gpu, uint *answer) { if (gpu->index) return NOT_SUPPORTED; ANSWER(55); }
int nvmlDeviceGetFanSpeed_v2(Gpu *gpu, uint fan, uint *answer) { if (gpu->index) return NOT_SUPPORTED; ANSWER(fan ? 62 : 55); }
int nvmlDeviceGetCurrentClocksThrottleReasons(Gpu *gpu, uint64_t *answer) { ANSWER(0x4 | 0x20); }
int nvmlDeviceGetCurrPcieLinkGeneration(Gpu *gpu, uint *answer) { ANSWER(4); }
int nvmlDeviceGetCurrPcieLinkWidth(Gpu *gpu, uint *answer) { ANSWER(gpu->index ? 16 : 8); }

typedef struct {
    uint32_t field, scope;
    int64_t timestamp, latency_us;
    uint32_t type, code;
    union { double d; uint32_t u; uint64_t ull; int32_t s; } value;
} Field;
int nvmlDeviceGetFieldValues(Gpu *gpu, int count, Field *fields) {
    ENTER(gpu);
    for (int i = 0; i < count; i++) {
        Field *field = &fields[i];
        char name[32];
        snprintf(name, sizeof name, "field%u", field->field);
        int code = enter(name, gpu);
        field->code = (uint32_t)(code ? code : gpu->index ? OK : NOT_SUPPORTED);
        field->type = 5; /* signed */
        switch (field->field) {
        case 82: field->type = 1; field->value.u = 40; break; /* memory temperature */
        case 193: field->value.s = -8; break;                 /* shutdown, as margin */
        case 194: field->value.s = -2; break;                 /* slowdown, as margin */
        case 196: field->value.s = 0; break;                  /* maximum, as margin */
        default: field->code = NOT_SUPPORTED;
        }
    }
    return OK;
}

#ifndef OLD_DRIVER
int nvmlSystemGetCudaDriverVersion_v2(int *version) { return nvmlSystemGetCudaDriverVersion(version); }
typedef struct { uint version; int sensor, celsius; } Temperature;
int nvmlDeviceGetTemperatureV(Gpu *gpu, Temperature *answer) {
    ENTER(gpu);
    answer->celsius = (int)temperature(gpu);
    return OK;
}
int nvmlDeviceGetMarginTemperature(Gpu *gpu, int answer[2]) {
    ENTER(gpu);
    if (!gpu->index) return NOT_SUPPORTED;
    answer[1] = 54;
    return OK;
}
typedef struct { uint version; uint64_t total, reserved, free, used; } Memory;
int nvmlDeviceGetMemoryInfo_v2(Gpu *gpu, Memory *answer) {
    ENTER(gpu);
    answer->total = (gpu->index ? 143771ull : 24576ull) << 20;
    answer->used = 20000ull << 20;
    return OK;
}
typedef struct { uint version, fan, rpm; } FanSpeed;
int nvmlDeviceGetFanSpeedRPM(Gpu *gpu, FanSpeed *answer) { ENTER(gpu); answer->rpm = 1850; return OK; }
int nvmlDeviceGetCurrentClocksEventReasons(Gpu *gpu, uint64_t *answer) { ANSWER(0x4 | 0x20); }
int nvmlDeviceGetMigMode(Gpu *gpu, uint *now, uint *pending) { ENTER(gpu); *now = *pending = 0; return OK; }
#endif
