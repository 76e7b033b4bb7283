// A list of {node, address} inside a YAML document.
#pragma once

#include <vector>

#include "leadline/probe/peer.h"
#include "leadline/yaml/document.h"

namespace leadline {

// Mistakes go to the list's document.
std::vector<ProbePeer> ReadPeerList(const YamlNode& list);

}  // namespace leadline
