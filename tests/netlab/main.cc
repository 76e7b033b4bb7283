// leadline-netlab: a link of known delays between network namespaces, in user space.
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "netlab/link.h"

namespace leadline::netlab {
namespace {

constexpr int kRanAndFailed = 1, kWrongArguments = 2;

struct Flags {
  std::string matrix, device, subnet, truth;
  std::vector<std::string> namespaces;
  double jitter_us = 0;
  double loss = 0;
  std::uint64_t seed = 1;
};

int Fail(int code, const std::string& message) {
  fmt::print(stderr, "leadline-netlab: {}\n", message);
  return code;
}

// Delays must not grow because others want the CPU; without the right we go on, less precisely.
void RunAhead() {
  prctl(PR_SET_TIMERSLACK, 1UL);
  const sched_param priority{20};
  const int refused = pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
  if (refused != 0) {
    fmt::print(stderr, "leadline-netlab: no SCHED_FIFO ({}): delays may be too long\n",
               std::strerror(refused));
  }
  mlockall(MCL_CURRENT | MCL_FUTURE);
}

Result<std::vector<File>> OpenEnds(const Flags& flags, const Subnet& subnet) {
  std::vector<File> ends;
  for (const std::string& name : flags.namespaces) {
    auto tun = OpenTun(name, flags.device, subnet, ends.size());
    if (!tun) return tun.error();
    ends.push_back(std::move(*tun));
  }
  return ends;
}

int Run(const Flags& flags) {
  const auto matrix = LatencyMatrix::Load(flags.matrix);
  if (!matrix) return Fail(kWrongArguments, matrix.error().message());
  const auto subnet = Subnet::Parse(flags.subnet);
  if (!subnet) return Fail(kWrongArguments, subnet.error().WithContext("--subnet").message());
  const std::size_t most = std::min(matrix->size(), subnet->Capacity());
  if (flags.namespaces.size() > most) {
    return Fail(kWrongArguments, fmt::format("{} namespaces, but matrix and subnet have room for "
                                             "{}",
                                             flags.namespaces.size(), most));
  }
  auto ends = OpenEnds(flags, *subnet);
  if (!ends) return Fail(kRanAndFailed, ends.error().message());
  LinkOptions options;
  options.jitter = std::chrono::nanoseconds(static_cast<std::int64_t>(flags.jitter_us * 1e3));
  options.loss = flags.loss;
  options.seed = flags.seed;
  if (!flags.truth.empty() && !(options.truth = std::fopen(flags.truth.c_str(), "we"))) {
    return Fail(kWrongArguments, fmt::format("{}: {}", flags.truth, std::strerror(errno)));
  }
  Link link(*matrix, *subnet, std::move(*ends), options);
  RunAhead();
  const auto ran = link.Run([] {
    fmt::print("ready\n");
    std::fflush(stdout);
  });
  if (options.truth != nullptr) std::fclose(options.truth);
  return ran ? 0 : Fail(kRanAndFailed, ran.error().message());
}

}  // namespace
}  // namespace leadline::netlab

int main(int argc, char** argv) {
  leadline::netlab::Flags flags;
  CLI::App app("Joins network namespaces by a link of known delays, until SIGINT or SIGTERM",
               "leadline-netlab");
  app.add_option("--matrix", flags.matrix, "round trips in milliseconds, a row for each namespace")
      ->type_name("FILE")
      ->required();
  app.add_option("--device", flags.device, "name of the device in each namespace")
      ->type_name("NAME")
      ->required();
  app.add_option("--subnet", flags.subnet, "the first namespace gets its first address, and so on")
      ->type_name("NETWORK/PREFIX")
      ->required();
  app.add_option("--truth", flags.truth, "write how long each probe packet was held")
      ->type_name("FILE");
  app.add_option("--jitter-us", flags.jitter_us, "add up to so many microseconds to each delay")
      ->check(CLI::Range(0.0, 1e7));
  app.add_option("--loss", flags.loss, "share of packets that vanish")->check(CLI::Range(0.0, 1.0));
  app.add_option("--seed", flags.seed, "of jitter and loss")->capture_default_str();
  app.add_option("namespaces", flags.namespaces, "as `ip netns list` names them")
      ->type_name("NAMESPACE")
      ->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return leadline::netlab::Run(flags);
}
