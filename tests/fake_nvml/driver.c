/* The driver as a whole, and what a GPU is. */
#include "stand_in.h"

int nvmlInitWithFlags(uint flags) { (void)flags; ENTER(NULL); return (int)number("FAKE_NVML_INIT", NULL, OK); }
int nvmlInit_v2(void) { return nvmlInitWithFlags(0); }
int nvmlShutdown(void) { ENTER(NULL); return OK; }
const char *nvmlErrorString(int code) { (void)code; return "an error of the stand-in"; }
int nvmlSystemGetDriverVersion(char *buffer, uint length) {
    char told[1024];
    const char *version = setting("FAKE_NVML_DRIVER", told);
    ENTER(NULL);
    return copy(buffer, length, version ? version : "580.65.06");
}
int nvmlSystemGetNVMLVersion(char *buffer, uint length) { ENTER(NULL); return copy(buffer, length, "13.580.65.06"); }
int nvmlSystemGetCudaDriverVersion(int *version) { ENTER(NULL); *version = 13000; return OK; }
static uint count(void) { return (uint)number("FAKE_NVML_COUNT", NULL, 2); }
int nvmlDeviceGetCount_v2(uint *answer) { ENTER(NULL); *answer = count(); return OK; }
int nvmlDeviceGetHandleByIndex_v2(uint index, Gpu **handle) {
    int code = enter(__func__, NULL);
    int64_t wanted = OK;
    if (index >= count() || index >= MOST_GPUS) return INVALID_ARGUMENT;
    if (!code && named("FAKE_NVML_RETURN", __func__, &gpus[index], &wanted)) code = (int)wanted;
    if (code) return code;
    *handle = &gpus[index];
    return OK;
}

int nvmlDeviceGetIndex(Gpu *gpu, uint *answer) { ANSWER((uint)gpu->index); }
int nvmlDeviceGetName(Gpu *gpu, char *buffer, uint length) {
    ENTER(gpu);
    if (gpu->share) return copy(buffer, length, "NVIDIA H200 MIG 1g.18gb");
    return copy(buffer, length, is_h200(gpu) ? "NVIDIA H200" : "NVIDIA GeForce RTX 3090");
}
int nvmlDeviceGetUUID(Gpu *gpu, char *buffer, uint length) {
    char uuid[64];
    ENTER(gpu);
    uuid_of(gpu, uuid);
    if (gpu->share) snprintf(uuid, sizeof uuid, "MIG-%08x-%04x-2222-3333-444444444444", gpu->share, gpu->index);
    return copy(buffer, length, uuid);
}
int nvmlDeviceGetVbiosVersion(Gpu *gpu, char *buffer, uint length) { ENTER(gpu); return copy(buffer, length, "94.02.42.80.13"); }
int nvmlDeviceGetSerial(Gpu *gpu, char *buffer, uint length) {
    ENTER(gpu);
    return is_h200(gpu) ? copy(buffer, length, "1650224000001") : NOT_SUPPORTED;
}
int nvmlDeviceGetBoardPartNumber(Gpu *gpu, char *buffer, uint length) {
    ENTER(gpu);
    return is_h200(gpu) ? copy(buffer, length, "692-2G520-0280-000") : NOT_SUPPORTED;
}
int nvmlDeviceGetInforomImageVersion(Gpu *gpu, char *buffer, uint length) {
    ENTER(gpu);
    return copy(buffer, length, "G001.0000.03.03");
}
int nvmlDeviceValidateInforom(Gpu *gpu) { ENTER(gpu); return OK; }
int nvmlDeviceGetPciInfo_v3(Gpu *gpu, Pci *pci) {
    ENTER(gpu);
    memset(pci, 0, sizeof *pci);
    bus_id(gpu, pci->bus_id);
    pci->id = is_h200(gpu) ? 0x233510de : 0x220410de;
    pci->subsystem = is_h200(gpu) ? 0x18be10de : 0x147d10de;
    return OK;
}
int nvmlDeviceGetArchitecture(Gpu *gpu, uint *answer) { ANSWER(is_h200(gpu) ? 9 : 7); }
int nvmlDeviceGetCudaComputeCapability(Gpu *gpu, int *major, int *minor) {
    ENTER(gpu);
    *major = is_h200(gpu) ? 9 : 8;
    *minor = is_h200(gpu) ? 0 : 6;
    return OK;
}
int nvmlDeviceGetNumGpuCores(Gpu *gpu, uint *answer) { ANSWER(is_h200(gpu) ? 16896 : 10496); }
int nvmlDeviceGetMemoryBusWidth(Gpu *gpu, uint *answer) { ANSWER(is_h200(gpu) ? 6144 : 384); }
int nvmlDeviceGetMaxClockInfo(Gpu *gpu, int type, uint *answer) { ANSWER(type == 2 ? 9751 : 2100); }
int nvmlDeviceGetMaxPcieLinkGeneration(Gpu *gpu, uint *answer) { ANSWER(is_h200(gpu) ? 5 : 3); }
int nvmlDeviceGetGpuMaxPcieLinkGeneration(Gpu *gpu, uint *answer) { ANSWER(is_h200(gpu) ? 5 : 4); }
int nvmlDeviceGetMaxPcieLinkWidth(Gpu *gpu, uint *answer) { ANSWER(16); }
int nvmlDeviceGetMultiGpuBoard(Gpu *gpu, uint *answer) { ANSWER((uint)number("FAKE_NVML_SEVERAL", gpu, 0)); }
int nvmlDeviceGetEccMode(Gpu *gpu, int *now, int *pending) {
    ENTER(gpu);
    ONLY(is_h200(gpu));
    *now = 1;
    *pending = 0;
    return OK;
}
int nvmlDeviceGetPersistenceMode(Gpu *gpu, int *answer) { ANSWER((int)number("FAKE_NVML_PERSISTENCE", gpu, 1)); }
int nvmlDeviceGetComputeMode(Gpu *gpu, int *answer) { ANSWER((int)number("FAKE_NVML_COMPUTE_MODE", gpu, 0)); }
int nvmlDeviceGetDisplayActive(Gpu *gpu, int *answer) {
    ANSWER((int)number("FAKE_NVML_DISPLAY", gpu, live() ? 0 : !is_h200(gpu)));
}
int nvmlDeviceGetPowerManagementDefaultLimit(Gpu *gpu, uint *answer) { ANSWER(is_h200(gpu) ? 700000 : 350000); }
int nvmlDeviceGetPowerManagementLimitConstraints(Gpu *gpu, uint *lowest, uint *highest) {
    ENTER(gpu);
    *lowest = is_h200(gpu) ? 200000 : 100000;
    *highest = is_h200(gpu) ? 700000 : 390000;
    return OK;
}
int nvmlDeviceGetTemperatureThreshold(Gpu *gpu, int threshold, uint *answer) {
    static const int limits[6] = {98, 95, -1, 93, -1, 83};
    ENTER(gpu);
    ONLY(!is_h200(gpu) && threshold <= 5 && limits[threshold] >= 0);
    *answer = (uint)limits[threshold];
    return OK;
}
int nvmlDeviceGetNumFans(Gpu *gpu, uint *answer) { ANSWER(is_h200(gpu) ? 0 : 2); }
int nvmlDeviceGetSupportedClocksThrottleReasons(Gpu *gpu, uint64_t *answer) { ANSWER(0x1ff); }
typedef struct { uint pid; uint64_t used; uint gpu_instance, compute_instance; } Process;
int nvmlDeviceGetComputeRunningProcesses_v3(Gpu *gpu, uint *room, Process *processes) {
    uint running = (uint)number("FAKE_NVML_PROCESSES", gpu, 0), had = *room;
    ENTER(gpu);
    *room = running;
    if (had < running || (running && !processes)) return 7; /* insufficient size */
    for (uint i = 0; i < running; i++) processes[i] = (Process){.pid = 4000 + i, .used = 512ull << 20};
    return OK;
}

#ifndef OLD_DRIVER
int nvmlSystemGetCudaDriverVersion_v2(int *version) { return nvmlSystemGetCudaDriverVersion(version); }
int nvmlDeviceGetMigMode(Gpu *gpu, uint *now, uint *pending) {
    ENTER(gpu);
    *now = *pending = (uint)number("FAKE_NVML_MIG", gpu, 0);
    return OK;
}
enum { MOST_SHARES = 7 };
int nvmlDeviceGetMaxMigDeviceCount(Gpu *gpu, uint *answer) { ANSWER(MOST_SHARES); }
int nvmlDeviceGetMigDeviceHandleByIndex(Gpu *gpu, uint index, Gpu **share) {
    static Gpu shares[MOST_GPUS][MOST_SHARES];
    ENTER(gpu);
    if (index >= MOST_SHARES || index >= number("FAKE_NVML_SHARES", gpu, 0)) return NOT_FOUND;
    *share = &shares[gpu->index][index];
    **share = (Gpu){.index = gpu->index, .share = (int)index + 1};
    return OK;
}
typedef struct { uint version, channel, tpc; } Repair;
int nvmlDeviceGetRepairStatus(Gpu *gpu, Repair *answer) {
    ENTER(gpu);
    ONLY(is_h200(gpu));
    answer->channel = 0;
    answer->tpc = (uint)number("FAKE_NVML_REPAIR", gpu, 0);
    return OK;
}
int nvmlDeviceGetNumaNodeId(Gpu *gpu, uint *answer) { ANSWER((uint)gpu->index); }
int nvmlDeviceGetVirtualizationMode(Gpu *gpu, uint64_t *answer) { ANSWER((uint64_t)number("FAKE_NVML_VIRTUAL", gpu, 0)); }
int nvmlDeviceGetGspFirmwareVersion(Gpu *gpu, char *buffer) { ENTER(gpu); return copy(buffer, 64, "580.65.06"); }
int nvmlDeviceGetSupportedClocksEventReasons(Gpu *gpu, uint64_t *answer) { ANSWER(0x1ff); }
#endif
