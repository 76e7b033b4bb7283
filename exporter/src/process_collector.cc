#include "leadline/exporter/process_collector.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <sstream>

namespace leadline {
namespace {

// The fields of /proc/self/stat that are wanted, proc(5).
struct ProcStat {
  double cpu_seconds = 0;
  double start_ticks = 0;  // since boot
  double virtual_bytes = 0;
  double resident_pages = 0;
};

std::optional<ProcStat> ReadStat() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t end = line.rfind(')');  // the program's name may hold anything
  if (end == std::string::npos) return std::nullopt;
  std::istringstream rest(line.substr(end + 1));
  std::string field;
  ProcStat stat;
  // The first field after the name is number 3.
  for (int number = 3; number <= 24 && rest >> field; ++number) {
    const double value = std::strtod(field.c_str(), nullptr);
    if (number == 14 || number == 15) stat.cpu_seconds += value;
    if (number == 22) stat.start_ticks = value;
    if (number == 23) stat.virtual_bytes = value;
    if (number == 24) stat.resident_pages = value;
  }
  if (!rest) return std::nullopt;
  stat.cpu_seconds /= static_cast<double>(sysconf(_SC_CLK_TCK));
  return stat;
}

std::optional<double> BootTimeSeconds() {
  std::ifstream file("/proc/stat");
  std::string key;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    double value = 0;
    if (fields >> key >> value && key == "btime") return value;
  }
  return std::nullopt;
}

std::optional<int> CountOpenFiles() {
  DIR* directory = opendir("/proc/self/fd");
  if (directory == nullptr) return std::nullopt;
  int count = -1;  // the descriptor of this directory itself
  while (const dirent* entry = readdir(directory)) count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

}  // namespace

ProcessCollector::ProcessCollector(Registry& registry)
    : cpu_seconds_(registry.DeclarePlainCounter("process_cpu_seconds_total",
                                                "User and system CPU time spent, in seconds.")),
      resident_bytes_(registry.DeclarePlainGauge("process_resident_memory_bytes",
                                                 "Resident memory size in bytes.")),
      virtual_bytes_(registry.DeclarePlainGauge("process_virtual_memory_bytes",
                                                "Virtual memory size in bytes.")),
      open_fds_(registry.DeclarePlainGauge("process_open_fds", "Open file descriptors.")),
      max_fds_(
          registry.DeclarePlainGauge("process_max_fds", "Most open file descriptors allowed.")),
      start_time_seconds_(registry.DeclarePlainGauge(
          "process_start_time_seconds", "Start of the process, seconds since 1970, UTC.")),
      hook_(registry.BeforeScrape([this] { Update(); })) {}

void ProcessCollector::Update() {
  if (const auto stat = ReadStat()) {
    cpu_seconds_.Increment(stat->cpu_seconds - cpu_seconds_.Value());
    virtual_bytes_.Set(stat->virtual_bytes);
    resident_bytes_.Set(stat->resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
    if (const auto boot = BootTimeSeconds()) {
      start_time_seconds_.Set(*boot +
                              stat->start_ticks / static_cast<double>(sysconf(_SC_CLK_TCK)));
    }
  }
  if (const auto open = CountOpenFiles()) open_fds_.Set(*open);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) max_fds_.Set(static_cast<double>(limit.rlim_cur));
}

std::string_view BuildVersion() { return LEADLINE_VERSION; }

void DeclareBuildInfo(Registry& registry, std::string_view program) {
  registry
      .DeclareGauge({"leadline_build_info",
                     "Always 1; the labels tell what is running.",
                     {"program", "version", "compiler"},
                     8})
      .With({program, BuildVersion(), __VERSION__})
      .Set(1);
}

}  // namespace leadline
