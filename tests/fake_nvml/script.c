/* How the script is read, and what every function does first. */
#include "stand_in.h"

Gpu gpus[MOST_GPUS] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}, {5, 0, 0}, {6, 0, 0}, {7, 0, 0}};

static void hang(void) { for (;;) pause(); }

/* The value of a line NAME=VALUE in the script, NULL if there is none. */
static const char *from_script(const char *path, const char *name, char buffer[1024]) {
    FILE *file = fopen(path, "r");
    const char *found = NULL;
    size_t length = strlen(name);
    while (file && !found && fgets(buffer, 1024, file)) {
        buffer[strcspn(buffer, "\n")] = 0;
        if (!strncmp(buffer, name, length) && buffer[length] == '=') found = buffer + length + 1;
    }
    if (file) fclose(file);
    return found;
}

extern char **environ;

/* Whether anything is scripted but the number of GPUs: looking it all up would be most of the work of each call. */
static int is_scripted(void) {
    static int known = -1;
    if (known >= 0) return known;
    known = 0;
    for (char **variable = environ; *variable; variable++)
        known |= !strncmp(*variable, "FAKE_NVML_", 10) && strncmp(*variable, "FAKE_NVML_COUNT=", 16);
    return known;
}

const char *setting(const char *name, char buffer[1024]) {
    if (!is_scripted() && strcmp(name, "FAKE_NVML_COUNT")) return NULL;
    const char *script = getenv("FAKE_NVML_SCRIPT"), *found = script ? from_script(script, name, buffer) : NULL;
    if (found) return found;
    found = getenv(name);
    if (!found) return NULL;
    snprintf(buffer, 1024, "%s", found);
    return buffer;
}

/* The part of a word that is meant for the GPU: "1:x" gives x to GPU 1 alone; NULL if it is another's. */
static const char *meant_for(const char *word, const Gpu *gpu) {
    const char *colon = strchr(word, ':');
    if (!colon) return word;
    return gpu && atoi(word) == gpu->index ? colon + 1 : NULL;
}

int64_t number(const char *name, const Gpu *gpu, int64_t otherwise) {
    char buffer[1024], words[1024];
    const char *text = setting(name, buffer), *mine;
    if (!text) return otherwise;
    snprintf(words, sizeof words, "%s", text);
    for (char *rest, *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if ((mine = meant_for(word, gpu))) return strtoll(mine, NULL, 10);
    return otherwise;
}

/* Looks for "what=value" or "1:what=value" among the words of a setting; "*" is everything. */
int named(const char *name, const char *what, const Gpu *gpu, int64_t *value) {
    char buffer[1024], words[1024];
    const char *text = setting(name, buffer), *mine;
    if (!text) return 0;
    snprintf(words, sizeof words, "%s", text);
    for (char *rest, *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        if (equals) *equals = 0;
        if (!(mine = meant_for(word, gpu)) || (strcmp(mine, "*") && strcmp(mine, what))) continue;
        *value = equals ? strtoll(equals + 1, NULL, 10) : 1;
        return 1;
    }
    return 0;
}

static const char OF_SHARES[] = "nvmlDeviceGetUUID nvmlDeviceGetName nvmlDeviceGetMemoryInfo_v2 nvmlDeviceGetMemoryInfo "
                                "nvmlDeviceGetComputeRunningProcesses_v3";

int enter(const char *function, const Gpu *gpu) {
    int64_t value = OK;
    if (!is_scripted()) return OK;
    if (gpu && gpu->share && !strstr(OF_SHARES, function)) return NOT_SUPPORTED;
    const char *log = getenv("FAKE_NVML_LOG");
    if (log) {
        FILE *file = fopen(log, "a");
        fprintf(file, "%s %d\n", function, gpu ? gpu->index : -1);
        fclose(file);
    }
    if (named("FAKE_NVML_HANG", function, gpu, &value)) hang();
    if (gpu && number("FAKE_NVML_LOST", gpu, 0)) return GPU_IS_LOST;
    if (gpu && gpu->index == 1 && gpu->temperature_reads >= number("FAKE_NVML_LOST_AFTER", gpu, UINT32_MAX))
        return GPU_IS_LOST;
    return named("FAKE_NVML_RETURN", function, gpu, &value) ? (int)value : OK;
}

int copy(char *buffer, uint length, const char *text) { snprintf(buffer, length, "%s", text); return OK; }

const char *bus_id(const Gpu *gpu, char buffer[32]) {
    int bus = getenv("FAKE_NVML_MODEL") ? 0x41 + gpu->index : gpu->index < 2 ? (is_h200(gpu) ? 0xC1 : 0x41) : 0x42 + gpu->index;
    snprintf(buffer, 32, "00000000:%02X:00.0", bus);
    return buffer;
}
