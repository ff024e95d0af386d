/* Events: Xids that come so many milliseconds after the set was made. */
#include "stand_in.h"
#include <time.h>

static struct { int64_t made_ms; int told; } the_set;
static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

int nvmlDeviceGetSupportedEventTypes(Gpu *gpu, uint64_t *answer) { ANSWER(is_h200(gpu) ? 0x1f : 0x1c); }
int nvmlEventSetCreate(void **set) {
    ENTER(NULL);
    the_set.made_ms = now_ms();
    *set = &the_set;
    return OK;
}
int nvmlDeviceRegisterEvents(Gpu *gpu, uint64_t types, void *set) { (void)types; (void)set; ENTER(gpu); return OK; }
int nvmlEventSetFree(void *set) { (void)set; ENTER(NULL); return OK; }

typedef struct { Gpu *gpu; uint64_t type, data; uint gpu_instance, compute_instance; } Event;
/* The next event that is due by now. */
static int due(Event *event) {
    char words[1024];
    long after_ms, index, xid;
    int place = 0;
    const char *text = setting("FAKE_NVML_EVENTS", words);
    for (char *rest, *word = text ? strtok_r((char *)text, " ", &rest) : NULL; word; word = strtok_r(NULL, " ", &rest)) {
        if (place++ < the_set.told || sscanf(word, "%ld:%ld:%ld", &after_ms, &index, &xid) != 3) continue;
        if (the_set.made_ms + after_ms > now_ms()) return 0;
        the_set.told++;
        *event = (Event){&gpus[index], 0x8, (uint64_t)xid, UINT32_MAX, UINT32_MAX};
        return 1;
    }
    return 0;
}

int nvmlEventSetWait_v2(void *set, Event *event, uint timeout_ms) {
    const int64_t until_ms = now_ms() + timeout_ms;
    (void)set;
    ENTER(NULL);
    for (;;) {
        /* The script may have changed since. */
        if (due(event)) return OK;
        const int64_t left_ms = until_ms - now_ms();
        if (left_ms <= 0) return TIMEOUT;
        usleep((uint)(1000 * (left_ms < 20 ? left_ms : 20)));
    }
}
