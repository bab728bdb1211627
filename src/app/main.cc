// main(): registers the verbs and runs the chosen verb.
#include "app/cli/cli.h"

int main(int argc, char** argv) {
    using namespace parlance::cli;
    CLI::App app;
    Context context;
    add_globals(app, context);
    add_serve(app, context);
    add_send(app, context);
    add_request(app, context);
    add_listen(app, context);

    add_agent(app, context);
    add_agents(app, context);
    add_workflow(app, context);
    add_capabilities(app, context);
    add_chat(app, context);
    add_classify(app, context);
    add_cancel(app, context);
    add_policy(app, context);
    add_fleet(app, context);
    add_human(app, context);
    add_dead_letters(app, context);
    add_journal(app, context);
    add_token(app, context);
    add_cert(app, context);
    add_audit(app, context);
    add_sql(app, context);
    add_trace(app, context);
    add_stats(app, context);
    add_validate(app, context);
    add_convert(app, context);
    add_schema(app, context);

    add_bench(app, context);
    add_sim(app, context);
    add_doctor(app, context);
    add_version(app, context);
    add_completion(app, context);
    return run(app, context, argc, argv);
}
