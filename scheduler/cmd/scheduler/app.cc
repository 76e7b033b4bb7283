#include "app.h"

#include <boost/asio/ip/address.hpp>
#include <future>
#include <random>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "leadline/core/api_volume_writer.h"
#include "leadline/core/default_binder.h"
#include "leadline/plugins/registry.h"
#include "rest_metrics.h"

namespace leadline {
namespace {

constexpr std::chrono::seconds kTick{1};
constexpr std::chrono::seconds kGrace{10};
constexpr std::chrono::seconds kRelease{3};
// A leader whose Lease ran out so long ago and who goes on must be stuck (as kube-scheduler).
constexpr std::chrono::seconds kUnnoticed{20};

// Eight hexadecimal digits that differ between runs.
std::string BootId() {
  std::random_device device;
  return fmt::format("{:08x}", device());
}

std::string HostName() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

// Names the file, unless the message does already.
Error ProfileError(const Error& error, const std::string& file) {
  const bool named = file.empty() || std::string(error.message()).starts_with(file);
  return named ? error : error.WithContext(file);
}

}  // namespace

App::App(boost::asio::io_context& io, SchedulerFlags flags, Settings settings,
         std::function<void()> on_lost)
    : io_(io),
      flags_(std::move(flags)),
      settings_(std::move(settings)),
      on_lost_(std::move(on_lost)),
      process_(registry_),
      scheduler_metrics_(registry_),
      learning_metrics_(registry_),
      tick_(io) {
  DeclareBuildInfo(registry_, "leadline-scheduler");
}

App::~App() = default;

Result<void> App::Assemble(std::optional<ClientConfig> client, const HttpServerOptions& http) {
  if (client) MakeClients(std::move(*client));
  if (api_ && !flags_.dry_run) {
    EventRecorderOptions options;
    options.reporting_controller = settings_.scheduler.profiles.front().scheduler_name;
    options.reporting_instance = options.reporting_controller + "-" + HostName();
    events_ = std::make_unique<EventRecorder>(io_, *api_, std::move(options));
    writer_ = std::make_unique<ApiClusterWriter>(*api_, *events_);
    volume_writer_ = std::make_unique<ApiVolumeWriter>(*api_);
    // Who calls the extender's bind has elected its leader itself.
    extender_writer_ = std::make_unique<ApiClusterWriter>(free_api_ ? *free_api_ : *api_, *events_);
  } else {
    writer_ = std::make_unique<NoWriter>();
  }
  MakeVolumeBinder();
  if (settings_.metrics) {
    poller_ = std::make_unique<MetricsPoller>(
        io_, *settings_.metrics, [this] { return NodeIdentities(cache_); }, registry_);
  }
  usage_ = UsageReader(poller_.get());
  if (!settings_.dqn_args.logs.directory.empty() && client) {
    log_ = std::make_unique<DecisionLog>(settings_.dqn_args.logs);
    WatchLog();
  }
  OutcomeTrackerOptions outcome_options;
  outcome_options.window = settings_.reward.outcome_window;
  outcome_options.predict = flags_.dry_run;
  outcomes_ = std::make_unique<OutcomeTracker>(
      RewardCalculator::Create(settings_.reward.reward).value(), outcome_options,
      [this](const std::string& node) {
        const NodeUsage usage = usage_.Of(node);
        return EncodeThree(usage.cpu_ratio, usage.memory_ratio, usage.latency_ms);
      },
      OutcomeObservers());
  const Model& model = settings_.model;
  learning_metrics_.SetModel(model.encoder ? std::string(model.encoder->Name()) : "none",
                             model.weights ? model.weights->Version() : "");

  auto profiles = MakeProfiles(outcomes_.get());
  if (!profiles) return ProfileError(profiles.error(), flags_.config);
  profiles_ = std::move(*profiles);
  auto extender_profiles = MakeProfiles(nullptr);
  if (!extender_profiles) return ProfileError(extender_profiles.error(), flags_.config);

  SchedulerOptions options;
  options.queue.initial_backoff = settings_.scheduler.initial_backoff;
  options.queue.max_backoff = settings_.scheduler.max_backoff;
  options.boot_id = BootId();
  options.seed = std::random_device()();
  scheduler_ = std::make_unique<Scheduler>(options, profiles_, cache_, *writer_, scheduler_metrics_,
                                           DecisionObservers());
  scheduler_metrics_.Watch(registry_, scheduler_->queue(), cache_);
  if (api_) {
    watch_ = std::make_unique<ClusterWatch>(io_, *api_, *scheduler_, *outcomes_, listers_,
                                            *volume_binder_, [this] { OnSynced(); });
  }
  MakeServer(http, std::move(*extender_profiles));
  return {};
}

void App::MakeVolumeBinder() {
  VolumeBinderOptions options;
  options.writer = volume_writer_.get();
  options.node = [this](const std::string& name) { return cache_.FindNode(name); };
  // Until its binding has ended it is assumed on its node.
  options.exists = [this](const Pod& pod) { return !cache_.NodeOf(pod.metadata.uid).empty(); };
  volume_binder_ = std::make_shared<VolumeBinder>(listers_, std::move(options));
}

PluginRegistry App::Plugins(OutcomeTracker* outcomes) {
  PluginRegistry registry = BuiltInPlugins(listers_, volume_binder_);
  registry.emplace(DefaultBinder::kName, MakeDefaultBinder(*writer_));
  registry.emplace(
      DqnScore::kName,
      [this, outcomes](const YamlNode&, const YamlDocument*) -> Result<std::shared_ptr<Plugin>> {
        // Its arguments were read with the settings.
        DqnScoreOptions options;
        options.encoder = settings_.model.encoder;
        options.model = settings_.model.weights;
        options.usage = [this] { return usage_.Now(); };
        options.decoder = settings_.dqn.decoder;
        // The extender's answers may not be followed: nothing is learned from them, so none
        // explores.
        options.explore = settings_.dqn.explore && outcomes != nullptr;
        options.epsilon = settings_.dqn.epsilon;
        if (settings_.metrics) options.state.settle = settings_.metrics->rate_window;
        options.outcomes = outcomes;
        options.on_epsilon = [this](double epsilon) { learning_metrics_.SetEpsilon(epsilon); };
        options.seed = std::random_device()();
        return std::make_shared<DqnScore>(std::move(options));
      });
  return registry;
}

Result<Scheduler::Profiles> App::MakeProfiles(OutcomeTracker* outcomes) {
  const PluginRegistry plugins = Plugins(outcomes);
  std::set<std::string> known;
  for (const auto& [name, factory] : plugins) known.insert(name);
  if (auto ok = CheckPluginNames(settings_.scheduler, known); !ok) return ok.error();
  Scheduler::Profiles profiles;
  for (const ProfileConfig& config : settings_.scheduler.profiles) {
    auto made = Framework::Make(config, plugins, settings_.scheduler.document.get());
    if (!made) return made.error();
    profiles.push_back(std::move(*made));
  }
  if (settings_.scheduler.document) {
    if (auto ok = settings_.scheduler.document->Check(); !ok) return ok.error();
  }
  if (auto ok = Framework::CheckTogether(profiles); !ok) return ok.error();
  return profiles;
}

std::vector<DecisionObserver*> App::DecisionObservers() {
  std::vector<DecisionObserver*> observers = {&learning_metrics_};
  if (log_) observers.push_back(log_.get());
  return observers;
}

std::vector<OutcomeObserver*> App::OutcomeObservers() {
  std::vector<OutcomeObserver*> observers = {&learning_metrics_};
  if (log_) observers.push_back(log_.get());
  return observers;
}

void App::WatchLog() {
  Counter dropped = registry_.DeclarePlainCounter(
      "leadline_decision_log_dropped_total",
      "Entries of the decision logs that were lost to a full queue or a disk that refused.");
  log_hook_ = registry_.BeforeScrape([this, dropped, told = std::uint64_t{0}]() mutable {
    const std::uint64_t now = log_->counts().dropped;
    dropped.Increment(static_cast<double>(now - told));
    told = now;
  });
}

void App::MakeServer(const HttpServerOptions& http, Scheduler::Profiles extender_profiles) {
  server_ = std::make_unique<HttpServer>(io_, http);
  RegisterMetricsRoutes(*server_, registry_);
  health_.AddReadyCheck("informers-synced", [this]() -> Result<void> {
    if (synced_) return {};
    return Error(ErrorCode::kUnavailable,
                 "the first lists of the cluster's objects are not complete yet");
  });
  health_.Register(*server_);
  ExtenderAccess access;
  access.client_certificate = !http.tls.client_ca_file.empty();
  access.token_file = flags_.extender_token_file;
  access.loopback = boost::asio::ip::make_address(http.host).is_loopback();
  extender_ = std::make_unique<ExtenderServer>(
      io_, std::move(extender_profiles), cache_,
      [this](std::shared_ptr<const Pod> pod, const std::string& node, auto done) {
        if (flags_.dry_run) return done(Error(ErrorCode::kUnavailable, "a dry run binds nothing"));
        extender_writer_->Bind(std::move(pod), node, std::move(done));
      },
      std::move(access), registry_);
  extender_->Register(*server_);
}

Result<void> App::Start() {
  if (auto listening = server_->Listen(); !listening) return listening.error();
  std::vector<std::string> names;
  for (const auto& profile : profiles_) names.push_back(profile->profile());
  spdlog::info("scheduling Pods with spec.schedulerName {}; {}, port {}", fmt::join(names, ", "),
               flags_.http_address, server_->port());
  if (flags_.dry_run) spdlog::info("dry run: nothing is written to the API server");
  if (!settings_.model.weights) {
    spdlog::warn("no weights are configured: the fallbacks decide (config/model.yaml)");
  }
  if (!poller_) {
    spdlog::warn("no metrics are configured: the fallbacks decide (config/metrics.yaml)");
  } else {
    poller_->Start();
  }
  watch_->Start();
  Tick();
  return {};
}

void App::OnSynced() {
  const Cache::Sizes sizes = cache_.sizes();
  spdlog::info("the cache is complete: {} nodes, {} Pods on them, {} waiting", sizes.nodes,
               sizes.pods, scheduler_->queue().sizes().active);
  synced_ = true;
  if (elector_) return elector_->Start();
  BeginToSchedule();
}

void App::BeginToSchedule() { scheduler_->Start(); }

void App::MakeClients(ClientConfig config) {
  const bool elect = settings_.scheduler.leader_election.elect;  // never in a dry run
  ApiClientOptions options;
  options.observer = RestClientMetrics(registry_);
  if (elect) {
    free_api_ = std::make_unique<ApiClient>(io_, config, options);
    MakeElector();
    options.may_write = [this] { return elector_->IsLeader(); };
  }
  api_ = std::make_unique<ApiClient>(io_, std::move(config), std::move(options));
}

void App::MakeElector() {
  const LeaderElectionConfig& config = settings_.scheduler.leader_election;
  LeaderElectorOptions options;
  options.identity = NewLeaderIdentity();
  options.lease_namespace = config.resource_namespace;
  options.lease_name = config.resource_name;
  options.lease_duration = config.lease_duration;
  options.renew_deadline = config.renew_deadline;
  options.retry_period = config.retry_period;
  Gauge leads = registry_
                    .DeclareGauge({"leader_election_master_status",
                                   "1 while this process is the leader by that Lease.",
                                   {"name"}})
                    .With({config.resource_name});
  leads.Set(0);
  LeaderElectorHandlers handlers;
  handlers.on_started = [this, leads]() mutable {
    leads.Set(1);
    BeginToSchedule();
  };
  handlers.on_lost = [this, leads]() mutable {
    leads.Set(0);
    on_lost_();
  };
  handlers.on_new_leader = [](const std::string& identity) {
    spdlog::info("the leader is {}", identity);
  };
  elector_ = std::make_unique<LeaderElector>(io_, *free_api_, options, std::move(handlers));
  health_.AddLiveCheck("leader-election", [this] { return elector_->Check(kUnnoticed); });
}

// When bindings have come to their end another replica may begin; when some have not, it waits
// until the Lease has run out.
void App::ReleaseLease() {
  if (!elector_) return;
  if (const std::size_t left = scheduler_->bindings_under_way(); left > 0) {
    return spdlog::warn("{} bindings have not ended: the Lease is left to run out", left);
  }
  auto released = std::make_shared<std::promise<void>>();
  auto future = released->get_future();
  elector_->Release([released](bool) { released->set_value(); });
  future.wait_for(kRelease);
}

void App::Tick() {
  outcomes_->Tick();
  volume_binder_->Poll();
  tick_.expires_after(kTick);
  tick_.async_wait([this](const boost::system::error_code& error) {
    if (!error) Tick();
  });
}

void App::Stop() {
  watch_->Stop();
  synced_ = false;
  volume_binder_->Stop();  // nobody watches any more what the controllers do
  scheduler_->Stop(kGrace);
  ReleaseLease();
  if (poller_) poller_->Stop();
  server_->Stop();
  if (log_) log_->Flush();
}

}  // namespace leadline
