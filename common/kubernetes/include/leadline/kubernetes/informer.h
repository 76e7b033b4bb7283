// Every object of one kind, typed, kept up to date, and a word at each change.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/kubernetes/reflector.h"
#include "leadline/kubernetes/store.h"

namespace leadline {

// Called on the io_context, one at a time, after the store has changed. What is not set is not
// called. An object that was deleted and made again under its name is a delete and an add, never
// an update.
template <typename T>
struct InformerHandlers {
  using Pointer = std::shared_ptr<const T>;
  std::function<void(const Pointer&)> on_add;
  std::function<void(const Pointer& old, const Pointer& now)> on_update;
  std::function<void(const Pointer&)> on_delete;  // as last stored
  std::function<void()> on_synced;                // after each complete list
};

// `T` has `ObjectMeta metadata`. An object that cannot be read is logged and counted; what was
// known of it before is kept. Threads as Reflector; store() and HasSynced() from any.
template <typename T>
class Informer : private ReflectorSink {
 public:
  using Pointer = std::shared_ptr<const T>;
  using Parse = std::function<Result<T>(std::string_view json)>;

  Informer(boost::asio::io_context& io, ApiClient& api, ListerWatcher what, Parse parse,
           InformerHandlers<T> handlers, ReflectorOptions options = {})
      : path_(what.path()),
        parse_(std::move(parse)),
        handlers_(std::move(handlers)),
        reflector_(io, api, std::move(what), *this, options) {}

  void Start() { reflector_.Start(); }
  void Stop() { reflector_.Stop(); }
  bool HasSynced() const { return reflector_.HasSynced(); }
  const Store<T>& store() const { return store_; }
  const ReflectorCounters& counters() const { return reflector_.counters(); }
  std::uint64_t unreadable() const { return unreadable_; }

 private:
  void OnReplaceBegin() override { listed_.clear(); }

  void OnReplaceItem(std::string_view json) override {
    if (Pointer object = Read(json)) {
      listed_[object->metadata.Key()] = std::move(object);
    } else if (const auto identity = ReadIdentity(json)) {
      listed_.try_emplace(identity->Key(), nullptr);  // it exists
    }
  }

  void OnReplaceEnd(std::string_view) override {
    const auto listed = std::exchange(listed_, {});
    for (const Pointer& old : store_.List()) {
      if (listed.count(old->metadata.Key()) == 0) Delete(old);
    }
    for (const auto& [key, object] : listed) {
      if (object != nullptr) Put(object);
    }
    if (handlers_.on_synced) handlers_.on_synced();
  }

  void OnEvent(WatchEventType type, const ObjectIdentity& identity,
               std::string_view json) override {
    if (type != WatchEventType::kDeleted) {
      if (const Pointer object = Read(json)) Put(object);
      return;
    }
    const Pointer old = store_.Get(identity.Key());
    if (old != nullptr && old->metadata.uid == identity.uid) Delete(old);
  }

  Pointer Read(std::string_view json) {
    Result<T> object = parse_(json);
    if (object) return std::make_shared<const T>(std::move(*object));
    ++unreadable_;
    LogUnreadable(path_, json, object.error());
    return nullptr;
  }

  void Put(const Pointer& object) {
    const Pointer old = store_.Get(object->metadata.Key());
    if (old != nullptr && old->metadata.uid != object->metadata.uid) {
      Delete(old);
      return Add(object);
    }
    if (old == nullptr) return Add(object);
    if (old->metadata.resource_version == object->metadata.resource_version) return;
    store_.Put(object);
    if (handlers_.on_update) handlers_.on_update(old, object);
  }

  void Add(const Pointer& object) {
    store_.Put(object);
    if (handlers_.on_add) handlers_.on_add(object);
  }

  void Delete(const Pointer& old) {
    store_.Erase(old->metadata.Key());
    if (handlers_.on_delete) handlers_.on_delete(old);
  }

  const std::string path_;
  const Parse parse_;
  const InformerHandlers<T> handlers_;
  Store<T> store_;
  std::unordered_map<std::string, Pointer> listed_;  // null: there, but unreadable
  std::atomic<std::uint64_t> unreadable_ = 0;
  Reflector reflector_;  // last: the first to go
};

}  // namespace leadline
