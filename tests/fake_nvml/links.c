/* How GPUs reach each other. */
#include "stand_in.h"

int nvmlDeviceGetNvLinkState(Gpu *gpu, uint link, uint *answer) {
    ENTER(gpu);
    ONLY(is_h200(gpu));
    if (link >= LINKS) return INVALID_ARGUMENT;
    *answer = link >= number("FAKE_NVML_LINKS_DOWN", gpu, 0);
    return OK;
}
int nvmlDeviceGetNvLinkVersion(Gpu *gpu, uint link, uint *answer) { ONLY(is_h200(gpu) && link < LINKS); ANSWER(4); }
int nvmlDeviceGetNvLinkRemotePciInfo_v2(Gpu *gpu, uint link, Pci *pci) {
    ENTER(gpu);
    ONLY(is_h200(gpu) && link < LINKS);
    memset(pci, 0, sizeof *pci);
    bus_id(&gpus[gpu->index ^ 1], pci->bus_id);
    return OK;
}
int nvmlDeviceGetP2PStatus(Gpu *gpu, Gpu *other, int capability, int *answer) {
    (void)other;
    /* Reading and writing go, NVLink and atomics are not supported by the GPU. */
    ANSWER(capability == 2 || capability == 3 ? 2 : 0);
}
int nvmlDeviceGetTopologyCommonAncestor(Gpu *gpu, Gpu *other, int *answer) {
    ANSWER(gpu->index / 2 == other->index / 2 ? 30 : 50);
}
