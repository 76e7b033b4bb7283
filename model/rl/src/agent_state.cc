#include "agent_state.h"

#include <boost/crc.hpp>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace leadline {
namespace {

constexpr std::string_view kMagic = "LLAGENT1";

std::uint32_t Crc(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

class Out {
 public:
  template <typename T>
  void Put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <typename T>
  void PutAll(const std::vector<T>& values) {
    Put(static_cast<std::uint64_t>(values.size()));
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void PutState(const AgentState& state) {
    Put(static_cast<std::uint64_t>(state.nodes));
    PutAll(state.rows);
    PutAll(state.context);
    PutAll(state.mask);
  }
  std::string bytes;
};

class In {
 public:
  explicit In(std::string_view all) : left_(all) {}
  bool ok() const { return ok_; }
  std::size_t left() const { return left_.size(); }

  template <typename T>
  void Get(T* value) {
    if (left_.size() < sizeof(T)) ok_ = false;
    if (!ok_) return;
    std::memcpy(value, left_.data(), sizeof(T));
    left_.remove_prefix(sizeof(T));
  }
  template <typename T>
  void GetAll(std::vector<T>* values) {
    std::uint64_t count = 0;
    Get(&count);
    if (!ok_ || count > left_.size() / sizeof(T)) ok_ = false;
    if (!ok_) return;
    values->resize(count);
    if (count > 0) std::memcpy(values->data(), left_.data(), count * sizeof(T));
    left_.remove_prefix(count * sizeof(T));
  }
  void GetState(AgentState* state) {
    std::uint64_t nodes = 0;
    Get(&nodes);
    state->nodes = nodes;
    GetAll(&state->rows);
    GetAll(&state->context);
    GetAll(&state->mask);
  }

 private:
  std::string_view left_;
  bool ok_ = true;
};

}  // namespace

std::string Serialize(const AgentCheckpoint& checkpoint) {
  Out out;
  out.bytes = kMagic;
  out.PutAll(checkpoint.network);
  out.PutAll(checkpoint.target);
  out.Put(checkpoint.optimizer.steps);
  out.PutAll(checkpoint.optimizer.first);
  out.PutAll(checkpoint.optimizer.second);
  out.Put(checkpoint.rng);
  out.Put(checkpoint.steps);
  out.Put(checkpoint.updates);
  out.Put(checkpoint.mean_reward);
  out.Put(static_cast<std::uint64_t>(checkpoint.replay.size()));
  for (const Transition& transition : checkpoint.replay) {
    out.PutState(transition.state);
    out.PutState(transition.next_state);
    out.Put(static_cast<std::uint64_t>(transition.action));
    out.Put(transition.reward);
    out.Put(transition.done);
  }
  out.Put(Crc(out.bytes));
  return std::move(out.bytes);
}

Result<AgentCheckpoint> ParseCheckpoint(const std::string& bytes) {
  const Error damaged(ErrorCode::kDataLoss, "the saved agent state is cut short or damaged");
  if (bytes.size() < kMagic.size() + 4 || !bytes.starts_with(kMagic)) return damaged;
  std::uint32_t crc = 0;
  std::memcpy(&crc, bytes.data() + bytes.size() - 4, 4);
  const std::string_view body(bytes.data(), bytes.size() - 4);
  if (Crc(body) != crc) return damaged;
  In in(body.substr(kMagic.size()));
  AgentCheckpoint checkpoint;
  in.GetAll(&checkpoint.network);
  in.GetAll(&checkpoint.target);
  in.Get(&checkpoint.optimizer.steps);
  in.GetAll(&checkpoint.optimizer.first);
  in.GetAll(&checkpoint.optimizer.second);
  in.Get(&checkpoint.rng);
  in.Get(&checkpoint.steps);
  in.Get(&checkpoint.updates);
  in.Get(&checkpoint.mean_reward);
  std::uint64_t count = 0, action = 0;
  in.Get(&count);
  for (std::uint64_t i = 0; in.ok() && i < count; ++i) {
    Transition transition;
    in.GetState(&transition.state);
    in.GetState(&transition.next_state);
    in.Get(&action);
    in.Get(&transition.reward);
    in.Get(&transition.done);
    transition.action = action;
    if (in.ok()) checkpoint.replay.push_back(std::move(transition));
  }
  if (!in.ok() || in.left() != 0) return damaged;
  return checkpoint;
}

}  // namespace leadline
