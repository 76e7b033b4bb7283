// The answer to a Prometheus instant query.
// https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries
// Thanos, Mimir and VictoriaMetrics answer in the same form; keys may come in any order and
// unknown ones are skipped.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/http/client.h"

namespace leadline {

struct Sample {
  std::vector<std::pair<std::string, std::string>> labels;  // by name, without __name__
  double value = 0;                                         // may be NaN or infinite
  double time = 0;  // Unix seconds of the evaluation, not of the sample: see timestamp()

  // The label's value, or empty.
  std::string_view Label(std::string_view name) const;
  // `{instance="a:9100",job="node"}`
  std::string LabelText() const;
};

struct QueryAnswer {
  std::vector<Sample> samples;  // a scalar answer is one sample without labels
  std::vector<std::string> warnings;
  std::vector<std::string> infos;
};

// Reads the body of a 200 answer. kDataLoss: cut short or not JSON; kPermissionDenied: HTML, which
// is what a login page looks like from here; kInvalidArgument: the server refuses the query (its
// words), or answers with a matrix or a text. Messages are short whatever the body's size.
Result<QueryAnswer> ParseQueryAnswer(std::string_view body);

// The same with the HTTP status taken into account. 400 and 422: kInvalidArgument with the
// server's words; 401 and 403: kPermissionDenied; 3xx: kPermissionDenied, not followed; 404:
// kNotFound; 429: kResourceExhausted; everything else: kUnavailable.
Result<QueryAnswer> ReadQueryResponse(const HttpResponse& response);

}  // namespace leadline
