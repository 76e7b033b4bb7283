// What Agent::Save() writes and Agent::Restore() reads.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "leadline/nn/bytes.h"
#include "leadline/rl/agent.h"

namespace leadline {
namespace {

constexpr std::string_view kMagic = "LLAGENT1";
constexpr std::size_t kChecksumBytes = 4;

void Write(const Transition& transition, ByteWriter* out) {
  out->Floats(transition.row);
  out->Floats(transition.context);
  out->F64(transition.reward);
  out->Floats(transition.next_rows);
  out->Floats(transition.next_context);
  out->U8(transition.next_can_reject);
  out->U8(transition.done);
}

Transition ReadTransition(ByteReader* in) {
  Transition transition;
  transition.row = in->Floats();
  transition.context = in->Floats();
  transition.reward = in->F64();
  transition.next_rows = in->Floats();
  transition.next_context = in->Floats();
  transition.next_can_reject = in->U8() != 0;
  transition.done = in->U8() != 0;
  return transition;
}

Error Damaged(std::string_view what) {
  return Error(ErrorCode::kDataLoss, fmt::format("learner's state: {}", what));
}

// Moments that are not finite, or squares below 0, would get every later update refused.
bool AreUsable(const Optimizer::State& moments, std::size_t parameters) {
  const auto fits = [parameters](const std::vector<float>& moment, float lowest) {
    return (moment.empty() || moment.size() == parameters) &&
           std::all_of(moment.begin(), moment.end(),
                       [lowest](float m) { return std::isfinite(m) && m >= lowest; });
  };
  return fits(moments.first, std::numeric_limits<float>::lowest()) && fits(moments.second, 0.0f);
}

// What lies between magic and checksum.
Result<std::string_view> Unwrap(std::string_view bytes) {
  if (bytes.size() < kMagic.size() + kChecksumBytes) return Damaged("truncated");
  if (bytes.substr(0, kMagic.size()) != kMagic) return Damaged("wrong first bytes");
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (ByteReader(bytes.substr(body.size())).U32() != Crc32(body)) {
    return Damaged("wrong checksum: damaged or truncated");
  }
  return body.substr(kMagic.size());
}

}  // namespace

std::string Agent::Save() const {
  ByteWriter out;
  out.Raw(kMagic);
  out.Floats(online_.Parameters());
  out.Floats(target_.Parameters());
  out.U64(optimizer_.state().steps);
  out.Floats(optimizer_.state().first);
  out.Floats(optimizer_.state().second);
  for (std::uint64_t word : rng_.state()) out.U64(word);
  out.U64(statistics_.steps);
  out.U64(statistics_.updates);
  out.U64(statistics_.refused_updates);
  out.U64(statistics_.refused_transitions);
  out.F64(statistics_.loss);
  out.U8(mean_reward_.has_value());
  out.F64(mean_reward_.value_or(0.0));
  out.U32(static_cast<std::uint32_t>(replay_.size()));
  for (std::size_t i = 0; i < replay_.size(); ++i) Write(replay_.at(i), &out);
  out.U32(Crc32(out.bytes()));
  return out.bytes();
}

Result<void> Agent::Restore(std::string_view bytes) {
  const auto body = Unwrap(bytes);
  if (!body) return body.error();
  ByteReader in(*body);
  Agent restored = *this;
  const std::vector<float> online = in.Floats(), target = in.Floats();
  if (!restored.online_.SetParameters(online) || !restored.target_.SetParameters(target)) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("learner's state: {} weights, shape {} has {}", online.size(),
                             online_.shape().ToString(), online_.shape().ParameterCount()));
  }
  Optimizer::State moments;
  moments.steps = in.U64();
  moments.first = in.Floats();
  moments.second = in.Floats();
  if (!AreUsable(moments, online.size())) return Damaged("moments do not fit");
  restored.optimizer_.set_state(std::move(moments));
  Rng::State random{};
  for (std::uint64_t& word : random) word = in.U64();
  restored.rng_ = Rng(random);
  restored.statistics_.steps = in.U64();
  restored.statistics_.updates = in.U64();
  restored.statistics_.refused_updates = in.U64();
  restored.statistics_.refused_transitions = in.U64();
  restored.statistics_.loss = in.F64();
  const bool has_mean = in.U8() != 0;
  const double mean = in.F64();
  if (!std::isfinite(restored.statistics_.loss) || !std::isfinite(mean)) {
    return Damaged("a number that is not finite");
  }
  restored.mean_reward_ = has_mean ? std::optional(mean) : std::nullopt;
  restored.replay_.Clear();
  const std::uint32_t transitions = in.U32();
  for (std::uint32_t i = 0; i < transitions && !in.failed(); ++i) {
    Transition transition = ReadTransition(&in);
    if (!IsUsable(transition)) return Damaged("a transition does not fit");
    restored.replay_.Add(std::move(transition));
  }
  if (in.failed() || in.left() > 0) return Damaged("cut short, or longer than it says");
  *this = std::move(restored);
  return {};
}

}  // namespace leadline
