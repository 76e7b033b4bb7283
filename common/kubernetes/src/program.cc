#include "program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <thread>

namespace leadline {
namespace {

constexpr std::size_t kMaxOutput = 1 << 20;
using Deadline = std::chrono::steady_clock::time_point;

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) {
    out.push_back(text.data());
  }
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> Environment(const Program& program) {
  std::vector<std::string> out;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    out.emplace_back(*variable);
  }
  for (const auto& [name, value] : program.environment) {
    std::erase_if(out, [&, prefix = name + "="](const std::string& old) {
      return old.compare(0, prefix.size(), prefix) == 0;
    });
    out.push_back(name + "=" + value);
  }
  return out;
}

// In a process group of its own, so that what it starts is killed with it.
int Spawn(const Program& program, int output, pid_t* pid) {
  std::vector<std::string> arguments = program.command;
  std::vector<std::string> environment = Environment(program);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int code = posix_spawnp(pid, program.command[0].c_str(), &actions, &attributes,
                                Pointers(arguments).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

int Remaining(Deadline deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<std::int64_t>(0, left.count()));
}

Result<std::string> Collect(int output, int cancel, Deadline deadline) {
  std::string out;
  for (;;) {
    pollfd waiting[] = {{output, POLLIN, 0}, {cancel, POLLIN, 0}};
    const int ready = ::poll(waiting, 2, Remaining(deadline));
    if (ready == 0) {
      return Error(ErrorCode::kTimeout, "did not end in time and was killed");
    }
    if (ready < 0) {
      continue;  // EINTR
    }
    if (waiting[1].revents != 0) {
      return Error(ErrorCode::kCancelled, "cancelled");
    }
    char piece[4096];
    const ssize_t got = ::read(output, piece, sizeof piece);
    if (got <= 0) {
      return out;
    }
    out.append(piece, static_cast<std::size_t>(got));
    if (out.size() > kMaxOutput) {
      return Error(ErrorCode::kResourceExhausted, "printed more than 1 MiB");
    }
  }
}

Result<void> Reap(pid_t pid, Deadline deadline) {
  int status = 0;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    if (Remaining(deadline) == 0) {
      ::kill(-pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      return Error(ErrorCode::kTimeout, "did not end in time and was killed");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return {};
  }
  return Error(ErrorCode::kPermissionDenied,
               WIFEXITED(status) ? "exited with " + std::to_string(WEXITSTATUS(status))
                                 : "was killed by signal " + std::to_string(WTERMSIG(status)));
}

}  // namespace

Result<std::string> RunProgram(const Program& program, int cancel_descriptor) {
  const Deadline deadline = std::chrono::steady_clock::now() + program.timeout;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return Error(ErrorCode::kUnavailable, std::generic_category().message(errno));
  }
  pid_t pid = 0;
  const int code = Spawn(program, ends[1], &pid);
  ::close(ends[1]);
  if (code != 0) {
    ::close(ends[0]);
    return Error(ErrorCode::kNotFound, std::generic_category().message(code));
  }
  Result<std::string> output = Collect(ends[0], cancel_descriptor, deadline);
  ::close(ends[0]);
  if (!output) {
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return output;
  }
  if (const Result<void> ended = Reap(pid, deadline); !ended) {
    return ended.error();
  }
  return output;
}

}  // namespace leadline
