/* The cards and their ledgers of memory, told through plain C functions by cuda.py. */
#include "cards.h"

#include <c10/util/Exception.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace {
constexpr int MOST_PROCESSES = 64;
constexpr int64_t MIB = 1 << 20;
constexpr int64_t SEGMENT = 2 * MIB;

/* How many bytes of a card a process holds: in a file, so that all processes on a card see each other. */
struct Entry {
    std::atomic<int32_t> pid;
    std::atomic<int64_t> bytes;
};

/* The file: when the card last worked (CLOCK_MONOTONIC, ns; the stand-in for NVML reads it), and who holds what. */
struct Ledger {
    std::atomic<int64_t> worked_ns;
    Entry entries[MOST_PROCESSES];
};

struct Card {
    int64_t total = 0, outside = 0;
    std::atomic<int64_t> allocated{0}, reserved{0}, peak{0};
    Entry *ledger = nullptr;
    std::atomic<int64_t> *worked_ns = nullptr;
    int own = -1;
    std::string break_at, sentence, spoil_at;
    int64_t break_after = -1, spoil_after = -1;
    std::atomic<int64_t> kernels{0}, spoiled{0};
};

/* How fast a card is, whatever the host is doing meanwhile: times are those of the card's own clock. */
struct Pace {
    double flop_s = 4e9, bytes_s = 4e9, link_bytes_s = 13e9, launch_s = 5e-6;
};

std::vector<Card *> cards;
std::map<int, Pace> paces;
std::map<std::pair<int, int64_t>, double> clocks;
thread_local int current = 0;
std::mutex lock;
std::string sticky;
std::atomic<bool> broken{false};
std::map<const char *, size_t> pins;

bool lives(int32_t pid) { return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM); }

int64_t of_others(const Card &card) {
    int64_t sum = 0;
    if (card.ledger)
        for (int i = 0; i < MOST_PROCESSES; i++)
            if (i != card.own && lives(card.ledger[i].pid)) sum += card.ledger[i].bytes;
    return sum;
}

void enter_ledger(Card &card, int64_t context) {
    const int32_t me = getpid();
    for (int i = 0; i < MOST_PROCESSES && card.own < 0; i++) {
        int32_t found = card.ledger[i].pid;
        if (!lives(found) && card.ledger[i].pid.compare_exchange_strong(found, me)) card.own = i;
    }
    TORCH_CHECK(card.own >= 0, "too many processes on one card of the stand-in");
    card.ledger[card.own].bytes = context;
}

int64_t context_bytes = 0;
int64_t free_bytes(const Card &card) {
    return std::max<int64_t>(card.total - card.outside - of_others(card) - card.reserved - context_bytes, 0);
}

void tell(Card &card) {
    if (card.own >= 0) card.ledger[card.own].bytes = context_bytes + card.reserved;
}

[[noreturn]] void raise(const std::string &sentence) {
    throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, 700, "CUDA error: " + sentence);
}
}  // namespace

int card_count() { return static_cast<int>(cards.size()); }
int current_card() { return current; }

void make_current(int card) {
    if (card < 0 || card >= card_count()) raise("invalid device ordinal");
    current = card;
}

void check_alive() {
    if (!broken) return;
    std::lock_guard<std::mutex> hold(lock);
    raise(sticky);
}

void ensure_room(int number, size_t bytes) {
    Card &card = *cards.at(number);
    std::lock_guard<std::mutex> hold(lock);
    const int64_t wanted = card.allocated + static_cast<int64_t>(bytes);
    if (wanted <= card.reserved) return;
    const int64_t room = card.reserved + free_bytes(card);
    TORCH_CHECK_WITH(OutOfMemoryError, wanted <= room, "CUDA out of memory. Tried to allocate ", bytes / MIB, " MiB. GPU ", number,
                     " has a total capacity of ", card.total / MIB, " MiB of which ", free_bytes(card) / MIB, " MiB is free.");
}

void taken(int number, size_t bytes) {
    ensure_room(number, bytes);
    Card &card = *cards.at(number);
    std::lock_guard<std::mutex> hold(lock);
    card.allocated += static_cast<int64_t>(bytes);
    if (card.allocated > card.reserved) {
        const int64_t segments = (card.allocated + SEGMENT - 1) / SEGMENT * SEGMENT;
        card.reserved = std::min<int64_t>(segments, card.reserved + free_bytes(card));
    }
    card.peak = std::max<int64_t>(card.peak, card.allocated);
    tell(card);
}

void released(int number, size_t bytes) { cards.at(number)->allocated -= static_cast<int64_t>(bytes); }

void pinned(const void *address, size_t bytes) {
    std::lock_guard<std::mutex> hold(lock);
    pins[static_cast<const char *>(address)] = bytes;
}

void unpinned(const void *address) {
    std::lock_guard<std::mutex> hold(lock);
    pins.erase(static_cast<const char *>(address));
}

bool is_pinned(const void *address) {
    std::lock_guard<std::mutex> hold(lock);
    const char *place = static_cast<const char *>(address);
    auto after = pins.upper_bound(place);
    if (after == pins.begin()) return false;
    --after;
    return place < after->first + after->second;
}

void works(int number) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (cards.at(number)->worked_ns) *cards.at(number)->worked_ns = now.tv_sec * 1000000000LL + now.tv_nsec;
}

void spends(int number, int64_t stream, double flop, double bytes, double carried) {
    std::lock_guard<std::mutex> hold(lock);
    const Pace &pace = paces[number];
    clocks[{number, stream}] += std::max(flop / pace.flop_s, bytes / pace.bytes_s) + carried / pace.link_bytes_s + pace.launch_s;
}

void count_kernel(int number, const std::string &name) {
    Card &card = *cards.at(number);
    works(number);
    if (card.break_after < 0 || name != card.break_at || card.kernels++ < card.break_after) return;
    std::lock_guard<std::mutex> hold(lock);
    sticky = card.sentence;
    broken = true;
    raise(sticky);
}

bool may_spoil(int number, const std::string &name) {
    Card &card = *cards.at(number);
    return card.spoil_after >= 0 && name == card.spoil_at && card.spoiled++ >= card.spoil_after;
}

void spoil(unsigned char *bytes, size_t count) { bytes[count / 2] ^= 0x10; }

extern "C" {
/* A card with so many bytes, of which `outside` belong to nobody that is seen here. The ledger's file may not exist. */
void fake_cuda_add(int64_t total, int64_t outside, const char *ledger) {
    auto *card = new Card;
    card->total = total;
    card->outside = outside;
    const int file = ledger[0] ? open(ledger, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0 && ftruncate(file, sizeof(Ledger)) == 0) {
        void *there = mmap(nullptr, sizeof(Ledger), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (there != MAP_FAILED) {
            card->ledger = static_cast<Ledger *>(there)->entries;
            card->worked_ns = &static_cast<Ledger *>(there)->worked_ns;
        }
    }
    if (file >= 0) close(file);
    cards.push_back(card);
}

/* The contexts of this process: what every process takes of each card before it computes anything. */
void fake_cuda_open(int64_t context) {
    context_bytes = context;
    for (Card *card : cards)
        if (card->ledger && card->own < 0) enter_ledger(*card, context);
}

/* Whether another living process has a context on this card. */
int fake_cuda_shared(int number) {
    const Card &card = *cards.at(number);
    for (int i = 0; card.ledger && i < MOST_PROCESSES; i++)
        if (i != card.own && card.ledger[i].pid != getpid() && lives(card.ledger[i].pid)) return 1;
    return 0;
}

void fake_cuda_break(int number, const char *kernel, int64_t after, const char *sentence) {
    cards.at(number)->break_at = kernel;
    cards.at(number)->sentence = sentence;
    cards.at(number)->break_after = after;
}

void fake_cuda_spoil(int number, const char *kernel, int64_t after) {
    cards.at(number)->spoil_at = kernel;
    cards.at(number)->spoil_after = after;
}

void fake_cuda_pace(int number, double flop_s, double bytes_s, double link_bytes_s) {
    paces[number] = {flop_s, bytes_s, link_bytes_s, paces[number].launch_s};
}

/* How far a stream has come, in seconds of its card's work; and that it waits until then. */
double fake_cuda_clock(int number, int64_t stream) {
    std::lock_guard<std::mutex> hold(lock);
    return clocks[{number, stream}];
}

void fake_cuda_await(int number, int64_t stream, double until) {
    std::lock_guard<std::mutex> hold(lock);
    clocks[{number, stream}] = std::max(clocks[{number, stream}], until);
}

const char *fake_cuda_error() { return broken ? sticky.c_str() : ""; }
int64_t fake_cuda_free(int number) { return free_bytes(*cards.at(number)); }
int64_t fake_cuda_allocated(int number) { return cards.at(number)->allocated; }
int64_t fake_cuda_peak(int number) { return cards.at(number)->peak; }
void fake_cuda_forget_peak(int number) { cards.at(number)->peak = static_cast<int64_t>(cards.at(number)->allocated); }
int64_t fake_cuda_reserved(int number) { return cards.at(number)->reserved; }
int fake_cuda_current() { return current; }
void fake_cuda_choose(int number) { current = number; }
void fake_cuda_give_back() {
    std::lock_guard<std::mutex> hold(lock);
    for (Card *card : cards) {
        card->reserved = static_cast<int64_t>(card->allocated);
        tell(*card);
    }
}
}
