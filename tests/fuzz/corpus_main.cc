// The short form of a fuzz target: runs it over every file of the corpus directories given, and
// over a fixed number of seeded mutations of each. libFuzzer replaces this main in the long form.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "leadline/base/rng.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int kMutations = 2000;

void Run(const std::string& input) {
  // A copy of exactly the right size lets AddressSanitizer see a read past the end.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

std::string Mutate(std::string input, leadline::Rng& rng) {
  const std::uint64_t changes = 1 + rng.Below(4);
  for (std::uint64_t i = 0; i < changes && !input.empty(); ++i) {
    const std::size_t at = rng.Below(input.size());
    const char byte = static_cast<char>(rng.Below(256));
    switch (rng.Below(4)) {
      case 0:
        input[at] = byte;
        break;
      case 1:
        input.insert(at, 1, byte);
        break;
      case 2:
        input.erase(at, 1 + rng.Below(8));
        break;
      default:
        input.insert(at, input.substr(rng.Below(input.size()), rng.Below(16)));
    }
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::string seed{std::istreambuf_iterator<char>(stream), {}};
      Run(seed);
      leadline::Rng rng(++files);
      for (int k = 0; k < kMutations; ++k) Run(Mutate(seed, rng));
    }
  }
  std::printf("%zu corpus files, %d mutations of each\n", files, kMutations);
  return files > 0 ? 0 : 1;
}
