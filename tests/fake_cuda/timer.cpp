/* Distributed training asks for a timer of the device that it runs on; the host's clock does, as it does for CPUs. */
#include <torch/csrc/distributed/c10d/reducer_timer.hpp>

namespace {
class CardTimer final : public c10d::Timer {
   public:
    explicit CardTimer(c10::Device) {}
    std::optional<int64_t> measureDifference(Event start, Event end) override {
        const int64_t began = getTimeRef(start), ended = getTimeRef(end);
        if (began == c10d::kUnsetTime || ended == c10d::kUnsetTime || ended <= began) return std::nullopt;
        return ended - began;
    }
};
}  // namespace

namespace c10d {
C10_REGISTER_TYPED_CLASS(TimerRegistry, c10::kCUDA, CardTimer)
}
