/* The cards of the stand-in for CUDA: how much memory each has and who holds it, how it breaks and how it errs. */
#ifndef CARDS_H
#define CARDS_H
#include <cstddef>
#include <cstdint>
#include <string>

int card_count();
int current_card();
void make_current(int card);

/* Raises what CUDA raises for a bad index, for memory that is not there, and at every call after a sticky error. */
void check_alive();
void ensure_room(int card, size_t bytes);
void taken(int card, size_t bytes);
void released(int card, size_t bytes);

void pinned(const void *address, size_t bytes);
void unpinned(const void *address);
bool is_pinned(const void *address);

/* The card is at work now. */
void works(int card);
/* A stream of the card is busy for so long: for products, for bytes of its memory, for bytes over its link. */
void spends(int card, int64_t stream, double flop, double bytes, double carried);
/* One more kernel is started on this card: it may be the one that breaks it. */
void count_kernel(int card, const std::string &name);
/* Whether this kernel's result shall be wrong. */
bool may_spoil(int card, const std::string &name);
void spoil(unsigned char *bytes, size_t count);
#endif
