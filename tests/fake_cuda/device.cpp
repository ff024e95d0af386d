/* What the stand-in for CUDA is to torch's C++ side: a device type whose memory is the host's.
 *
 * A build of torch for CPUs leaves the dispatch key, the guard, the allocator and the hooks of CUDA empty. This library
 * fills them, so that tensors, autograd, autocast and streams on "cuda" are torch's own. What is computed on them is
 * computed by the CPU's kernels, on the same bytes: each operator sees its CUDA arguments as CPU tensors in place.
 */
#include "cards.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <atomic>
#include <unordered_map>
#include <unordered_set>

namespace {
using c10::Device;
using c10::DeviceIndex;
using c10::DeviceType;
using c10::Stream;
using torch::jit::Stack;

// -- memory ----------------------------------------------------------------------------------------------------------

/* Bytes of a card: what is behind them, and how many they are. */
struct Held {
    int card;
    size_t bytes;
    at::DataPtr memory;
};

void let_go(void *context) {
    auto *held = static_cast<Held *>(context);
    released(held->card, held->bytes);
    delete held;
}

/* Host memory as memory of a card. Raises OutOfMemoryError where the card is full. */
at::DataPtr on_card(int card, size_t bytes, at::DataPtr memory) {
    void *address = memory.get();
    if (!bytes) return {nullptr, Device(DeviceType::CUDA, card)};
    taken(card, bytes);
    return {address, new Held{card, bytes, std::move(memory)}, let_go, Device(DeviceType::CUDA, card)};
}

struct CardAllocator final : c10::Allocator {
    at::DataPtr allocate(size_t bytes) override {
        check_alive();
        int card = current_card();
        ensure_room(card, bytes);
        return on_card(card, bytes, c10::GetAllocator(DeviceType::CPU)->allocate(bytes));
    }
    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
    void copy_data(void *target, const void *source, size_t count) const override { memcpy(target, source, count); }
} allocator;
REGISTER_ALLOCATOR(DeviceType::CUDA, &allocator)

/* Memory of the host that the card fetches by itself. */
struct PinnedAllocator final : c10::Allocator {
    at::DataPtr allocate(size_t bytes) override {
        check_alive();
        auto memory = c10::GetAllocator(DeviceType::CPU)->allocate(bytes);
        void *address = memory.get();
        if (!address) return memory;
        pinned(address, bytes);
        return {address, new at::DataPtr(std::move(memory)), unpin, Device(DeviceType::CPU)};
    }
    static void unpin(void *context) {
        auto *memory = static_cast<at::DataPtr *>(context);
        unpinned(memory->get());
        delete memory;
    }
    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
    void copy_data(void *target, const void *source, size_t count) const override { memcpy(target, source, count); }
} pinned_allocator;

// -- devices and streams ---------------------------------------------------------------------------------------------

thread_local std::unordered_map<int, c10::StreamId> streams;
std::atomic<c10::StreamId> next_stream{1};

struct Guard final : c10::impl::DeviceGuardImplInterface {
    DeviceType type() const override { return DeviceType::CUDA; }
    Device exchangeDevice(Device wanted) const override {
        Device before = getDevice();
        setDevice(wanted);
        return before;
    }
    Device getDevice() const override { return {DeviceType::CUDA, static_cast<DeviceIndex>(current_card())}; }
    void setDevice(Device wanted) const override { make_current(wanted.index()); }
    void uncheckedSetDevice(Device wanted) const noexcept override {
        if (wanted.index() >= 0 && wanted.index() < card_count()) make_current(wanted.index());
    }
    Stream getStream(Device device) const override {
        auto found = streams.find(device.index());
        return Stream(Stream::UNSAFE, device, found == streams.end() ? 0 : found->second);
    }
    Stream getDefaultStream(Device device) const override { return Stream(Stream::DEFAULT, device); }
    Stream getNewStream(Device device, int) const override { return Stream(Stream::UNSAFE, device, next_stream++); }
    Stream getStreamFromGlobalPool(Device device, bool) const override { return getNewStream(device, 0); }
    Stream exchangeStream(Stream wanted) const override {
        Stream before = getStream(wanted.device());
        streams[wanted.device_index()] = wanted.id();
        return before;
    }
    DeviceIndex deviceCount() const noexcept override { return static_cast<DeviceIndex>(card_count()); }
    // What is queued is done at once: an event has always come.
    void record(void **event, const Stream &, const DeviceIndex, const c10::EventFlag) const override { *event = this_event(); }
    void block(void *, const Stream &) const override {}
    bool queryEvent(void *) const override { return true; }
    void synchronizeEvent(void *) const override { check_alive(); }
    bool queryStream(const Stream &) const override { return true; }
    void synchronizeStream(const Stream &) const override { check_alive(); }
    void synchronizeDevice(const DeviceIndex) const override { check_alive(); }

   private:
    static void *this_event() {
        static int there;
        return &there;
    }
};
C10_REGISTER_GUARD_IMPL(CUDA, Guard)

// -- random numbers --------------------------------------------------------------------------------------------------

/* A CUDA generator that draws what a CPU generator draws. */
struct Generator final : c10::GeneratorImpl {
    explicit Generator(DeviceIndex card, at::Generator host)
        : GeneratorImpl(Device(DeviceType::CUDA, card), c10::DispatchKeySet(c10::DispatchKey::CUDA)), host(std::move(host)) {}
    void set_current_seed(uint64_t seed) override { host.set_current_seed(seed); }
    void set_offset(uint64_t) override {}
    uint64_t get_offset() const override { return 0; }
    uint64_t current_seed() const override { return host.current_seed(); }
    uint64_t seed() override { return host.seed(); }
    void set_state(const c10::TensorImpl &state) override { host.unsafeGetGeneratorImpl()->set_state(state); }
    c10::intrusive_ptr<c10::TensorImpl> get_state() const override { return host.unsafeGetGeneratorImpl()->get_state(); }
    GeneratorImpl *clone_impl() const override { return new Generator(device().index(), host.clone()); }
    mutable at::Generator host;
};

at::Generator new_generator(DeviceIndex card) {
    auto host = at::detail::createCPUGenerator(0);
    return at::make_generator<Generator>(card < 0 ? static_cast<DeviceIndex>(current_card()) : card, host);
}

const at::Generator &default_generator(DeviceIndex card) {
    static std::vector<at::Generator> all = [] {
        std::vector<at::Generator> made;
        for (int i = 0; i < card_count(); i++) made.push_back(new_generator(static_cast<DeviceIndex>(i)));
        return made;
    }();
    return all.at(card < 0 ? current_card() : card);
}

struct CUDAHooks final : at::CUDAHooksInterface {
    explicit CUDAHooks(at::CUDAHooksArgs) {}
    void init() const override {}
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return card_count() > 0; }
    bool hasCUDA() const override { return true; }
    bool hasPrimaryContext(DeviceIndex) const override { return true; }
    DeviceIndex deviceCount() const override { return static_cast<DeviceIndex>(card_count()); }
    DeviceIndex current_device() const override { return static_cast<DeviceIndex>(current_card()); }
    DeviceIndex getCurrentDevice() const override { return current_device(); }
    void setCurrentDevice(DeviceIndex card) const override { make_current(card); }
    const at::Generator &getDefaultGenerator(DeviceIndex card) const override { return default_generator(card); }
    at::Generator getNewGenerator(DeviceIndex card) const override { return new_generator(card); }
    bool isPinnedPtr(const void *address) const override { return is_pinned(address); }
    at::Allocator *getPinnedMemoryAllocator() const override { return &pinned_allocator; }
    at::Allocator *getCUDADeviceAllocator() const override { return &allocator; }
    Device getDeviceFromPtr(void *) const override { return {DeviceType::CUDA, static_cast<DeviceIndex>(current_card())}; }
};
using at::CUDAHooksRegistry;
using at::RegistererCUDAHooksRegistry;
REGISTER_CUDA_HOOKS(CUDAHooks)

// -- operators -------------------------------------------------------------------------------------------------------

at::Tensor bare_tensor(c10::Storage storage, c10::DispatchKey key, const c10::TensorImpl &like) {
    auto made = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(key), like.dtype());
    made.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
    return made;
}

/* The arguments of one call as the CPU sees them, and the way back. */
class Call {
   public:
    int card = -1;

    at::Tensor to_host(const at::Tensor &tensor) {
        if (!tensor.defined() || !tensor.is_cuda()) return tensor;
        if (card < 0) card = tensor.device().index();
        auto known = hosts_.find(tensor.unsafeGetTensorImpl());
        if (known != hosts_.end()) return known->second;
        auto seen = bare_tensor(host_storage(tensor.storage()), c10::DispatchKey::CPU, *tensor.unsafeGetTensorImpl());
        if (tensor.is_conj()) seen._set_conj(true);
        if (tensor.is_neg()) seen._set_neg(true);
        if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) seen.unsafeGetTensorImpl()->set_wrapped_number(true);
        hosts_.emplace(tensor.unsafeGetTensorImpl(), seen);
        cards_.emplace(seen.unsafeGetTensorImpl(), tensor);
        return seen;
    }

    /* What the call did to the shape or the storage of its arguments is done to those on the card. */
    void settle() {
        for (auto &[impl, original] : cards_) {
            auto *own = original.unsafeGetTensorImpl();
            const auto &storage = impl->storage();
            auto *own_storage = own->storage().unsafeGetStorageImpl();
            if (!same_storage(storage, own_storage)) {
                auto other = storages_back_.find(storage.unsafeGetStorageImpl());
                own->set_storage_keep_dtype(other != storages_back_.end() ? other->second : adopted(storage));
            } else if (storage.data() != own_storage->data()) {
                // The buffer has grown: the card's storage takes the new one.
                auto grown = adopted(storage);
                own_storage->set_data_ptr(grown.unsafeGetStorageImpl()->set_data_ptr(at::DataPtr()));
                own_storage->set_nbytes(storage.nbytes());
            }
            if (impl->sizes() != own->sizes() || impl->strides() != own->strides() || impl->storage_offset() != own->storage_offset())
                own->set_sizes_and_strides(impl->sizes(), impl->strides(), impl->storage_offset());
        }
    }

    at::Tensor to_card(const at::Tensor &tensor) {
        if (!tensor.defined() || !tensor.device().is_cpu()) return tensor;
        auto known = cards_.find(tensor.unsafeGetTensorImpl());
        if (known != cards_.end()) return known->second;
        if (host_given_.count(tensor.unsafeGetTensorImpl())) return tensor;
        auto storage = storages_back_.find(tensor.storage().unsafeGetStorageImpl());
        bool view = storage != storages_back_.end();
        auto back = bare_tensor(view ? storage->second : adopted(tensor.storage()), c10::DispatchKey::CUDA, *tensor.unsafeGetTensorImpl());
        if (tensor.is_conj()) back._set_conj(true);
        if (tensor.is_neg()) back._set_neg(true);
        if (!view) storages_back_.emplace(tensor.storage().unsafeGetStorageImpl(), back.storage());
        kept_.push_back(tensor);
        return back;
    }

    void note_host(const at::Tensor &tensor) {
        if (tensor.defined()) host_given_.insert(tensor.unsafeGetTensorImpl());
    }

   private:
    static void release_storage(void *context) { delete static_cast<c10::Storage *>(context); }

    bool same_storage(const c10::Storage &seen, c10::StorageImpl *own) {
        auto known = storages_.find(own);
        return known != storages_.end() && known->second.unsafeGetStorageImpl() == seen.unsafeGetStorageImpl();
    }

    c10::Storage host_storage(const c10::Storage &own) {
        auto known = storages_.find(own.unsafeGetStorageImpl());
        if (known != storages_.end()) return known->second;
        at::DataPtr bytes(const_cast<void *>(own.data()), new c10::Storage(own), release_storage, Device(DeviceType::CPU));
        auto made = c10::Storage(c10::make_intrusive<c10::StorageImpl>(
            c10::StorageImpl::use_byte_size_t(), own.nbytes(), std::move(bytes), c10::GetAllocator(DeviceType::CPU), true));
        storages_.emplace(own.unsafeGetStorageImpl(), made);
        storages_back_.emplace(made.unsafeGetStorageImpl(), own);
        return made;
    }

    /* Memory that the CPU's kernel took becomes the card's. */
    c10::Storage adopted(const c10::Storage &host) {
        int home = card < 0 ? current_card() : card;
        at::DataPtr bytes(const_cast<void *>(host.data()), new c10::Storage(host), release_storage, Device(DeviceType::CPU));
        return c10::Storage(c10::make_intrusive<c10::StorageImpl>(
            c10::StorageImpl::use_byte_size_t(), host.nbytes(), on_card(home, host.nbytes(), std::move(bytes)), &allocator, true));
    }

    std::unordered_map<c10::TensorImpl *, at::Tensor> hosts_, cards_;
    std::unordered_set<c10::TensorImpl *> host_given_;
    std::unordered_map<c10::StorageImpl *, c10::Storage> storages_, storages_back_;
    std::vector<at::Tensor> kept_;
};

/* Operators that take tensors of several devices: all others refuse it, as CUDA's kernels do. */
bool may_mix(const std::string &name) {
    return name.find("copy") != std::string::npos || name.find("index") != std::string::npos || name.rfind("c10d::", 0) == 0;
}

void refuse_mixed(const std::string &name, const std::vector<at::Tensor> &given) {
    if (may_mix(name)) return;
    const at::Tensor *first = nullptr;
    for (const auto &tensor : given) {
        if (!tensor.defined() || (tensor.device().is_cpu() && tensor.dim() == 0)) continue;
        if (!first) first = &tensor;
        TORCH_CHECK(first->device() == tensor.device(), "Expected all tensors to be on the same device, but found at least two devices, ",
                    first->device(), " and ", tensor.device(), "! (", name, ")");
    }
}

/* What an operator costs: its bytes, its products, and whatever crosses the link to the host or to another card. */
void spend(int card, const std::string &name, const std::vector<at::Tensor> &given, const at::Tensor *result) {
    double bytes = 0, flop = 0, carried = 0;
    for (const auto &tensor : given)
        if (tensor.defined()) bytes += static_cast<double>(tensor.nbytes());
    if (result && result->defined()) bytes += static_cast<double>(result->nbytes());
    const bool product = name.find("mm") != std::string::npos && result && result->defined() && given[0].defined();
    if (product) {
        const auto &left = name.find("add") != std::string::npos ? given[1] : given[0];
        flop = 2.0 * static_cast<double>(result->numel()) * static_cast<double>(left.size(-1));
    }
    if (name == "aten::copy_" && given[0].device() != given[1].device()) carried = static_cast<double>(given[0].nbytes());
    if (name.rfind("c10d::", 0) == 0) carried = bytes;
    if (carried > 0) bytes = 0;
    auto found = streams.find(card);
    spends(card, found == streams.end() ? 0 : found->second, flop, bytes, carried);
}

/* Lists within lists, as collectives take them. */
template <typename Each>
c10::IValue nested(const c10::IValue &value, const Each &each) {
    c10::List<std::vector<at::Tensor>> all;
    for (const auto &inner : value.toListRef()) {
        std::vector<at::Tensor> tensors;
        for (const at::Tensor &tensor : inner.toTensorVector()) tensors.push_back(each(tensor));
        all.push_back(tensors);
    }
    return all;
}

bool is_nested(const c10::IValue &value) {
    return value.isList() && !value.isTensorList() && !value.toListRef().empty() && value.toListRef()[0].isTensorList();
}

void on_host(const c10::OperatorHandle &op, c10::DispatchKeySet, Stack *stack) {
    check_alive();
    const auto &name = op.schema().name();
    const size_t arguments = op.schema().arguments().size();
    Call call;
    std::vector<at::Tensor> given;
    auto each = [&](const at::Tensor &tensor) {
        given.push_back(tensor);
        if (tensor.defined() && !tensor.is_cuda()) call.note_host(tensor);
        return call.to_host(tensor);
    };
    for (size_t place = stack->size() - arguments; place < stack->size(); place++) {
        auto &value = (*stack)[place];
        if (value.isTensor()) {
            value = each(value.toTensor());
        } else if (value.isTensorList()) {
            std::vector<at::Tensor> hosts;
            for (const at::Tensor &tensor : value.toTensorVector()) hosts.push_back(each(tensor));
            value = c10::IValue(hosts);
        } else if (is_nested(value)) {
            value = nested(value, each);
        } else if (value.isOptionalTensorList()) {
            c10::List<std::optional<at::Tensor>> hosts;
            for (const std::optional<at::Tensor> &tensor : value.toOptionalTensorVector())
                hosts.push_back(tensor ? std::optional<at::Tensor>(each(*tensor)) : std::nullopt);
            value = c10::IValue(hosts);
        } else if (value.isDevice() && value.toDevice().is_cuda()) {
            if (call.card < 0) call.card = value.toDevice().has_index() ? value.toDevice().index() : current_card();
            value = c10::IValue(Device(DeviceType::CPU));
        } else if (value.isGenerator() && value.toGenerator().device().is_cuda()) {
            if (call.card < 0) call.card = value.toGenerator().device().index();
            value = c10::IValue(static_cast<Generator *>(value.toGenerator().unsafeGetGeneratorImpl())->host);
        }
    }
    refuse_mixed(name, given);
    int card = call.card < 0 ? current_card() : call.card;
    count_kernel(card, name);
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
    works(card);
    call.settle();
    const size_t results = op.schema().returns().size();
    const bool told = results && (*stack)[stack->size() - results].isTensor();
    const at::Tensor first = told ? (*stack)[stack->size() - results].toTensor() : at::Tensor();
    spend(card, name, given, told ? &first : nullptr);
    for (size_t place = stack->size() - results; place < stack->size(); place++) {
        auto &value = (*stack)[place];
        if (value.isTensor()) {
            auto result = value.toTensor();
            if (result.defined() && result.is_contiguous() && result.nbytes() && may_spoil(card, name))
                spoil(static_cast<unsigned char *>(result.data_ptr()), result.nbytes());
            value = call.to_card(result);
        } else if (value.isTensorList()) {
            std::vector<at::Tensor> back;
            for (const at::Tensor &tensor : value.toTensorVector()) back.push_back(call.to_card(tensor));
            value = c10::IValue(back);
        } else if (is_nested(value)) {
            value = nested(value, [&](const at::Tensor &tensor) { return call.to_card(tensor); });
        }
    }
}

int card_of(std::optional<Device> device) { return device && device->has_index() ? device->index() : current_card(); }

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>, std::optional<Device> device,
                 std::optional<bool>, std::optional<at::MemoryFormat> format) {
    const c10::impl::VirtualGuardImpl guard(DeviceType::CUDA);
    const Device before = guard.exchangeDevice({DeviceType::CUDA, static_cast<DeviceIndex>(card_of(device))});
    struct Back { const c10::impl::VirtualGuardImpl &guard; Device before; ~Back() { guard.uncheckedSetDevice(before); } } back{guard, before};
    return at::detail::empty_generic(size, &allocator, c10::DispatchKeySet(c10::DispatchKey::CUDA),
                                     dtype.value_or(at::get_default_dtype_as_scalartype()), format);
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                         std::optional<Device> device, std::optional<bool>) {
    const c10::impl::VirtualGuardImpl guard(DeviceType::CUDA);
    const Device before = guard.exchangeDevice({DeviceType::CUDA, static_cast<DeviceIndex>(card_of(device))});
    struct Back { const c10::impl::VirtualGuardImpl &guard; Device before; ~Back() { guard.uncheckedSetDevice(before); } } back{guard, before};
    return at::detail::empty_strided_generic(size, stride, &allocator, c10::DispatchKeySet(c10::DispatchKey::CUDA),
                                             dtype.value_or(at::get_default_dtype_as_scalartype()));
}

/* 0 is the plain attention: the others are kernels of their own for each kind of device. */
int64_t plain_attention(const at::Tensor &, const at::Tensor &, const at::Tensor &, const std::optional<at::Tensor> &, double, bool,
                        std::optional<double>, bool) {
    return 0;
}

void nothing(at::Tensor &, Stream) {}

TORCH_LIBRARY_IMPL(_, CUDA, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&on_host>()); }

TORCH_LIBRARY_IMPL(aten, CUDA, m) {
    m.impl("empty.memory_format", &empty);
    m.impl("empty_strided", &empty_strided);
    m.impl("_fused_sdp_choice", &plain_attention);
    m.impl("record_stream", &nothing);
    // Composed of kernels that ask for the type of the device: as a whole they are the CPU's.
    for (const char *whole : {"copy_", "convolution", "convolution_backward"})
        m.impl(whole, torch::CppFunction::makeFromBoxedFunction<&on_host>());
}

/* torch warns of kernels that are registered twice: those below are meant to be. */
struct Quiet final : c10::WarningHandler {
    Quiet() : before(c10::WarningUtils::get_warning_handler()) { c10::WarningUtils::set_warning_handler(this); }
    void process(const c10::Warning &) override {}
    c10::WarningHandler *before;
} quiet;

// What ranks send each other lies in the host's memory: gloo sees to it, whatever the group is called.
TORCH_LIBRARY_IMPL(c10d, CUDA, m) {
    for (const char *collective :
         {"send", "recv_", "recv_any_source_", "reduce_", "broadcast_", "allreduce_", "allreduce_coalesced_", "allgather_",
          "_allgather_base_", "reduce_scatter_", "_reduce_scatter_base_", "gather_", "scatter_", "alltoall_", "alltoall_base_"})
        m.impl(collective, torch::CppFunction::makeFromBoxedFunction<&on_host>());
}

const bool loud = [] { c10::WarningUtils::set_warning_handler(quiet.before); return true; }();
}  // namespace
