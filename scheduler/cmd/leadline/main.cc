// The command line for people.
#include "commands.h"

int main(int argc, char** argv) {
  CLI::App app("Leadline's command line: train weights, compare policies, look into models",
               "leadline");
  app.set_version_flag("--version", "leadline " LEADLINE_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done; 1 ran and failed; 2 wrong arguments or files.");
  int exit_code = 0;
  leadline::AddTrainCommand(&app, &exit_code);
  leadline::AddEvaluateCommand(&app, &exit_code);
  leadline::AddModelCommand(&app, &exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return exit_code;
}
