/* What a GPU measures. */
#include "stand_in.h"

static uint temperature(Gpu *gpu) {
    gpu->temperature_reads++;
    return (uint)number("FAKE_NVML_TEMPERATURE", gpu, live() ? live_temperature(gpu) : is_h200(gpu) ? 33 : 61);
}
int nvmlDeviceGetTemperature(Gpu *gpu, int sensor, uint *answer) { (void)sensor; ANSWER(temperature(gpu)); }
int nvmlDeviceGetPowerUsage(Gpu *gpu, uint *answer) {
    uint slow_ms = (uint)number("FAKE_NVML_SLOW_MS", gpu, 0);
    if (slow_ms) usleep(1000 * slow_ms);
    ANSWER((uint)number("FAKE_NVML_POWER", gpu, live() ? live_power_mw(gpu) : is_h200(gpu) ? 120500 : 348250));
}
int nvmlDeviceGetEnforcedPowerLimit(Gpu *gpu, uint *answer) { ANSWER(is_h200(gpu) ? 700000 : live() ? 350000 : 300000); }
int nvmlDeviceGetPowerManagementLimit(Gpu *gpu, uint *answer) { ANSWER(is_h200(gpu) ? 700000 : live() ? 350000 : 300000); }
int nvmlDeviceGetClockInfo(Gpu *gpu, int type, uint *answer) {
    static const uint clocks[4] = {1710, 1695, 9501, 1500}; /* graphics, SM, memory, video */
    ONLY(type < 4);
    ANSWER((uint)at_work(gpu, type == 2 ? 405 : 210, clocks[type], clocks[type]));
}
int nvmlDeviceGetPerformanceState(Gpu *gpu, int *answer) { ANSWER((int)at_work(gpu, 8, 0, is_h200(gpu) ? 0 : 2)); }
int nvmlDeviceGetUtilizationRates(Gpu *gpu, uint answer[2]) {
    ENTER(gpu);
    answer[0] = (uint)at_work(gpu, 0, 98, 98);
    answer[1] = (uint)at_work(gpu, 0, 40, 40);
    return OK;
}
int nvmlDeviceGetMemoryInfo(Gpu *gpu, uint64_t answer[3]) {
    ENTER(gpu);
    answer[0] = (uint64_t)number("FAKE_NVML_MEMORY_MIB", gpu, 24576) << 20;
    answer[1] = answer[0] / 6;
    answer[2] = answer[0] - answer[1];
    return OK;
}
int nvmlDeviceGetFanSpeed(Gpu *gpu, uint *answer) { ONLY(!is_h200(gpu)); ANSWER(55); }
int nvmlDeviceGetFanSpeed_v2(Gpu *gpu, uint fan, uint *answer) { ONLY(!is_h200(gpu)); ANSWER(fan ? 62 : 55); }
static uint64_t reasons(const Gpu *gpu) {
    return (uint64_t)number("FAKE_NVML_REASONS", gpu, at_work(gpu, 0x1, 0x4, 0x4 | 0x20));
}
int nvmlDeviceGetCurrentClocksThrottleReasons(Gpu *gpu, uint64_t *answer) { ANSWER(reasons(gpu)); }
int nvmlDeviceGetCurrPcieLinkGeneration(Gpu *gpu, uint *answer) { ANSWER((uint)at_work(gpu, 1, is_h200(gpu) ? 5 : 3, 4)); }
int nvmlDeviceGetCurrPcieLinkWidth(Gpu *gpu, uint *answer) {
    ANSWER((uint)number("FAKE_NVML_LINK_WIDTH", gpu, live() || is_h200(gpu) ? 16 : 8));
}
int nvmlDeviceGetTotalEnergyConsumption(Gpu *gpu, uint64_t *answer) {
    ANSWER((uint64_t)number("FAKE_NVML_ENERGY", gpu, live() ? live_energy_mj(gpu) : 7000000));
}
int nvmlDeviceGetPcieReplayCounter(Gpu *gpu, uint *answer) { ANSWER(live() ? 0 : 2); }
typedef struct { uint64_t reference, violation; } Violation;
int nvmlDeviceGetViolationStatus(Gpu *gpu, int policy, Violation *answer) {
    ENTER(gpu);
    ONLY(policy <= 3);
    answer->violation = live() ? 0 : 1000000000ull * (uint64_t)(policy + 1);
    return OK;
}
int nvmlDeviceGetTotalEccErrors(Gpu *gpu, int type, int counter, uint64_t *answer) {
    ONLY(is_h200(gpu));
    ANSWER(live() ? 0 : (uint64_t)(counter ? 10 + type : 3 + type)); /* volatile 3 and 4, lifetime 10 and 11 */
}
int nvmlDeviceGetMemoryErrorCounter(Gpu *gpu, int type, int counter, int location, uint64_t *answer) {
    ONLY(is_h200(gpu) && type == 1 && location == 7); /* uncorrected, SRAM */
    ANSWER(live() ? 0 : counter ? 2 : 1);
}
int nvmlDeviceGetRemappedRows(Gpu *gpu, uint *corrected, uint *uncorrected, uint *pending, uint *failure) {
    ENTER(gpu);
    ONLY(is_h200(gpu));
    *corrected = !live();
    *uncorrected = *pending = *failure = 0;
    return OK;
}
int nvmlDeviceGetRetiredPagesPendingStatus(Gpu *gpu, int *answer) { (void)answer; ENTER(gpu); return NOT_SUPPORTED; }

/* The driver's own buffer: three new readings each time it is emptied, of which the second is the highest. */
typedef struct { uint64_t time_us; union { uint32_t u; uint64_t ull; } value; } Reading;
int nvmlDeviceGetSamples(Gpu *gpu, int kind, uint64_t since_us, int *type, uint *room, Reading *readings) {
    static const uint32_t shape[3] = {100000, 412500, 200000};
    ENTER(gpu);
    ONLY(kind == 0);
    if (live() || number("FAKE_NVML_NO_READINGS", gpu, 0)) return NOT_FOUND;
    *type = 1;
    for (uint i = 0; readings && i < 3 && i < *room; i++) {
        readings[i].time_us = since_us + 1000 * (i + 1);
        readings[i].value.u = shape[i];
    }
    *room = 3;
    return OK;
}

#ifndef OLD_DRIVER
typedef struct { uint version; int sensor, celsius; } Temperature;
int nvmlDeviceGetTemperatureV(Gpu *gpu, Temperature *answer) {
    ENTER(gpu);
    answer->celsius = (int)temperature(gpu);
    return OK;
}
int nvmlDeviceGetMarginTemperature(Gpu *gpu, int answer[2]) {
    ENTER(gpu);
    ONLY(is_h200(gpu));
    answer[1] = 54;
    return OK;
}
typedef struct { uint version; uint64_t total, reserved, free, used; } Memory;
int nvmlDeviceGetMemoryInfo_v2(Gpu *gpu, Memory *answer) {
    ENTER(gpu);
    answer->total = (uint64_t)number("FAKE_NVML_MEMORY_MIB", gpu, gpu->share ? 16384 : is_h200(gpu) ? 143771 : 24576) << 20;
    answer->used = live() ? answer->total / 100 : 20000ull << 20;
    return OK;
}
typedef struct { uint version, fan, rpm; } FanSpeed;
int nvmlDeviceGetFanSpeedRPM(Gpu *gpu, FanSpeed *answer) { ENTER(gpu); answer->rpm = 1850; return OK; }
int nvmlDeviceGetCurrentClocksEventReasons(Gpu *gpu, uint64_t *answer) { ANSWER(reasons(gpu)); }
typedef struct { uint version; uint64_t counters[11]; uint exceeded; } Sram;
int nvmlDeviceGetSramEccErrorStatus(Gpu *gpu, Sram *answer) {
    ENTER(gpu);
    ONLY(is_h200(gpu));
    answer->exceeded = (uint)number("FAKE_NVML_SRAM_EXCEEDED", gpu, 0);
    return OK;
}

/* Activity: two samples, and metrics between them. */
typedef struct { uint version, supported; } Support;
int nvmlGpmQueryDeviceSupport(Gpu *gpu, Support *answer) { ENTER(gpu); answer->supported = is_h200(gpu); return OK; }
typedef struct { Gpu *gpu; } GpmSample;
int nvmlGpmSampleAlloc(GpmSample **sample) { ENTER(NULL); *sample = calloc(1, sizeof **sample); return OK; }
int nvmlGpmSampleFree(GpmSample *sample) { ENTER(NULL); free(sample); return OK; }
int nvmlGpmSampleGet(Gpu *gpu, GpmSample *sample) { ENTER(gpu); sample->gpu = gpu; return OK; }
typedef struct { uint id, code; double value; const char *words[3]; } GpmMetric;
typedef struct { uint version, count; GpmSample *first, *second; GpmMetric metrics[]; } GpmQuestion;
int nvmlGpmMetricsGet(GpmQuestion *question) {
    ENTER(NULL);
    if (!question->first->gpu || !question->second->gpu) return INVALID_ARGUMENT;
    for (uint i = 0; i < question->count; i++) {
        GpmMetric *metric = &question->metrics[i];
        metric->code = metric->id == 13 ? NOT_SUPPORTED : OK;
        metric->value = 5.0 * metric->id; /* 25 % tensor, 50 % of the memory's bandwidth */
    }
    return OK;
}
#endif
