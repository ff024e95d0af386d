/* What the files of the stand-in for libnvidia-ml.so.1 share: the GPUs, and how each function asks the script.
 *
 * The GPUs answer, refuse, lie, fall off the bus or hang as told. Those with an even number are like a GeForce RTX 3090:
 * absolute limits, two fans, no margin, no memory temperature, no ECC, no NVLink. Those with an odd number are like an
 * H200: limits only as margins, no fans, memory temperature, ECC, four NVLinks to the GPU before them, activity metrics.
 *
 * Settings come from the environment, or from lines NAME=VALUE in the file that FAKE_NVML_SCRIPT names, which may
 * change while a program runs. A VALUE holds for all GPUs; words like 1:VALUE hold for GPU 1 alone.
 *   FAKE_NVML_INIT=9               what the initialisation returns
 *   FAKE_NVML_COUNT=0              how many GPUs there are, at most 8; 2 without it
 *   FAKE_NVML_RETURN="f=3 1:g=999" what functions return, on all GPUs or on one; field4 is the field 4
 *   FAKE_NVML_TEMPERATURE=-1       core temperature, C
 *   FAKE_NVML_POWER=4294967295     power draw, mW
 *   FAKE_NVML_FIELDS="1:4=2 74=9"  values of fields
 *   FAKE_NVML_LOST_AFTER=n         GPU 1 is lost (15) once its temperature was asked n times
 *   FAKE_NVML_LOST=1:1             this GPU is lost (15)
 *   FAKE_NVML_HANG=function        this function never returns, or "1:function" on one GPU
 *   FAKE_NVML_SLOW_MS=80           the power is told so late
 *   FAKE_NVML_EVENTS="200:1:79"    Xid 79 of GPU 1, 200 ms after an event set was made
 *   FAKE_NVML_SHARES=1:2           MIG has made so many shares of the GPU; they tell name, UUID, memory and programs alone
 *   FAKE_NVML_LINKS_DOWN=1:2       so many NVLinks of the GPU are down
 *   FAKE_NVML_NO_READINGS=1        the driver's buffer of power readings is empty
 *   FAKE_NVML_COMPUTE_MODE, _PROCESSES, _MIG, _VIRTUAL, _REPAIR, _ENERGY, _SRAM_EXCEEDED, _SEVERAL: what the function of that name says
 *   FAKE_NVML_LOG=path             each call adds a line: function and GPU
 *   FAKE_NVML_MODEL=3090           all GPUs are like this one, or like an h200
 *   FAKE_NVML_LIVE=folder          healthy GPUs that warm up and draw power while the stand-in for CUDA, whose ledgers
 *                                  are in this folder, computes on them; nothing has gone wrong on them yet
 *   FAKE_NVML_MEMORY_MIB, _DISPLAY, _PERSISTENCE, _LINK_WIDTH, _REASONS, _DRIVER: of live GPUs
 * With -DOLD_DRIVER the functions and fields of recent drivers are missing.
 */
#ifndef STAND_IN_H
#define STAND_IN_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TIMEOUT = 10, GPU_IS_LOST = 15 };
enum { MOST_GPUS = 8, LINKS = 4 };
typedef unsigned int uint;
typedef struct { int index; uint temperature_reads; int share; } Gpu; /* share: 1 and so on of a GPU that MIG divides */
extern Gpu gpus[MOST_GPUS];

/* Whether a GPU is like an H200. */
int is_h200(const Gpu *gpu);
/* Whether the GPUs follow what is computed on them. */
int live(void);
/* Of a live GPU what it shows at rest or at work; of others what is told otherwise. */
int64_t at_work(const Gpu *gpu, int64_t rest, int64_t work, int64_t otherwise);
int64_t live_temperature(const Gpu *gpu);
int64_t live_power_mw(const Gpu *gpu);
int64_t live_energy_mj(const Gpu *gpu);
void uuid_of(const Gpu *gpu, char uuid[64]);

const char *setting(const char *name, char buffer[1024]);
int64_t number(const char *name, const Gpu *gpu, int64_t otherwise);
int named(const char *name, const char *what, const Gpu *gpu, int64_t *value);
int enter(const char *function, const Gpu *gpu);
int copy(char *buffer, uint length, const char *text);
const char *bus_id(const Gpu *gpu, char buffer[32]);

typedef struct { char legacy[16]; uint domain, bus, device, id, subsystem; char bus_id[32]; } Pci;

#define ENTER(gpu) do { int code = enter(__func__, gpu); if (code) return code; } while (0)
#define ANSWER(value) do { ENTER(gpu); *answer = (value); return OK; } while (0)
#define ONLY(condition) do { if (!(condition)) return NOT_SUPPORTED; } while (0)
#endif
