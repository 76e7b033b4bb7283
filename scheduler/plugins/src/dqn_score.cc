#include "leadline/plugins/dqn_score.h"

#include <algorithm>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "dqn_features.h"
#include "value_scores.h"

namespace leadline {
namespace {

// What one cycle's Score and Reserve need of its PreScore.
struct Choice {
  std::vector<std::int64_t> scores;
  std::vector<const NodeInfo*> candidates;
};

constexpr std::string_view kOpenOutcomeKey = "DQNScore/outcome";

// Why the network does not decide, for the log.
std::string_view InWords(std::string_view reason) {
  if (reason == "no_model") return "there are no weights";
  if (reason == "no_metrics") return "nothing was measured: Prometheus knows none of the nodes";
  if (reason == "stale_metrics") return "what Prometheus said of most nodes is missing or too old";
  if (reason == "non_finite") return "the network gave a value that is not a number";
  return reason;
}

}  // namespace

DqnScore::DqnScore(DqnScoreOptions options)
    : options_(std::move(options)),
      decoder_(options_.decoder),
      rng_(options_.seed),
      builder_(options_.state) {}

void DqnScore::SetDecoder(DecoderConfig config) {
  const std::lock_guard lock(decoder_mutex_);
  decoder_ = ActionDecoder(std::move(config));
}

Status DqnScore::PreFilter(CycleState& state, const PodInfo&, PreFilterResult*) {
  const UsageSnapshot usage = options_.usage();
  state.learned.emplace();
  state.learned->metrics_id = usage.version;
  state.learned->cluster = builder_.Build(state.snapshot(), usage.version, usage.lookup);
  return {};
}

Status DqnScore::PreScore(CycleState& state, const PodInfo& pod, NodeList feasible) {
  LearnedDecision& learned = *state.learned;
  const Snapshot::Nodes& nodes = state.snapshot().nodes();
  std::size_t at = 0;
  for (const NodeInfo* node : feasible) {  // both are in the order of the snapshot
    while (nodes[at].get() != node) ++at;
    learned.states.push_back(learned.cluster[at]);
  }
  const std::vector<NodeState> features = FeaturesOf(feasible, learned.states);
  const std::vector<float> values = AskNetwork(features, pod);
  DecoderInput input;
  input.values = values;
  input.nodes = features;
  input.pod = PodFeaturesOf(pod);
  SetMeasured(learned.states, &input);
  input.rejections = state.deferrals();
  input.epsilon = Epsilon();
  DecodedAction action;
  {
    const std::lock_guard lock(decoder_mutex_);
    action = decoder_.Decode(input, &rng_);
  }
  learned.action = action.action;
  learned.fallback = action.fallback;
  learned.fallback_reason = action.reason;
  learned.explored = action.explored;
  learned.propensity = action.propensity;
  TellChange(learned);
  if (options_.model) learned.weights = options_.model->Version();
  if (!values.empty()) {
    learned.values.assign(values.begin(), values.end() - 1);
    learned.reject_value = values.back();
  }
  if (action.action == feasible.size()) return Defer(state, pod);
  const bool by_value = !values.empty() && action.fallback.empty();
  const std::vector<float> ranked =
      by_value ? learned.values : LeastAllocatedScores(features, input.pod);
  state.Write(kName,
              Choice{ScoresWithChoice(ranked, action.action), {feasible.begin(), feasible.end()}});
  return {};
}

// Once at each change, not at each Pod.
void DqnScore::TellChange(const LearnedDecision& learned) {
  if (learned.fallback_reason == told_ || learned.fallback_reason == "max_rejections" ||
      learned.fallback_reason == "rejected") {
    return;
  }
  told_ = learned.fallback_reason;
  if (told_.empty()) {
    spdlog::info("DQNScore: the network decides");
  } else {
    spdlog::warn("DQNScore: {} decides, since {}", learned.fallback, InWords(told_));
  }
}

std::vector<float> DqnScore::AskNetwork(const std::vector<NodeState>& nodes, const PodInfo& pod) {
  std::vector<float> values;
  if (!options_.model) return values;
  options_.encoder->Encode(nodes, PodFeaturesOf(pod), &observation_);
  options_.model->network.Forward(observation_.rows, observation_.context, &workspace_, &values);
  return values;
}

double DqnScore::Epsilon() {
  const double epsilon = options_.explore ? options_.epsilon.At(steps_++) : 0.0;
  if (options_.on_epsilon) options_.on_epsilon(epsilon);
  return epsilon;
}

Status DqnScore::Defer(CycleState& state, const PodInfo& pod) {
  const LearnedDecision& learned = *state.learned;
  if (options_.outcomes != nullptr) {
    options_.outcomes->OnRejected(OutcomeOf(state, pod, ""));
  }
  std::string why = "a fallback says so";
  if (learned.reject_value && !learned.values.empty()) {
    const float best = *std::max_element(learned.values.begin(), learned.values.end());
    why = fmt::format("waiting is worth {:.3g}, the best node {:.3g}", *learned.reject_value, best);
  }
  int limit = 0;
  {
    const std::lock_guard lock(decoder_mutex_);
    limit = decoder_.config().max_rejections;
  }
  return Status(Status::Code::kDeferred,
                fmt::format("The Pod fits on {} node(s), and the policy rather waits: {} (time {} "
                            "of at most {}).",
                            learned.states.size(), why, state.deferrals() + 1, limit));
}

Result<std::int64_t> DqnScore::Score(const CycleState& state, const PodInfo&, const NodeInfo&,
                                     std::size_t index) {
  const auto* choice = state.Read<Choice>(kName);
  if (choice == nullptr) return Error(ErrorCode::kInternal, "Score without PreScore");
  return choice->scores[index];
}

Status DqnScore::Reserve(CycleState& state, const PodInfo& pod, const std::string& node) {
  const auto* choice = state.Read<Choice>(kName);
  if (choice == nullptr || !state.learned) return {};
  // Other Score plugins have a voice too: learn from the action that was executed.
  const auto& candidates = choice->candidates;
  const auto found = std::find(candidates.begin(), candidates.end(), state.snapshot().Find(node));
  const auto executed = static_cast<std::size_t>(found - candidates.begin());
  if (executed != state.learned->action) {
    state.learned->action = executed;
    state.learned->fallback = "other_scores";
    state.learned->fallback_reason = "outvoted";
    state.learned->propensity = 0.0;
  }
  if (options_.outcomes == nullptr) return {};
  OpenOutcome open;
  open.outcome = OutcomeOf(state, pod, node);
  open.placement = PlacementOf(*state.learned);
  state.WriteForBinding(kOpenOutcomeKey, std::move(open));
  return {};
}

void DqnScore::PostBind(CycleState& state, const PodInfo&, const std::string&) {
  if (auto* open = state.Mutable<OpenOutcome>(kOpenOutcomeKey)) {
    options_.outcomes->OnBound(std::move(*open));
  }
}

}  // namespace leadline
