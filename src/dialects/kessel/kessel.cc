#include "dialects/kessel/kessel.h"

#include "dialects/kessel/tables.h"
#include "dialects/tables.h"

namespace parlance::dialects::kessel {

constinit const DialectRow kRow{
    .dialect = Dialect::Kessel,
    .name = "kessel",
    .document = kDocument,
    .marks = kMarks,
    .forms = &kForms,
    .names_capabilities = true,
    .read_message = read_by_tables,
    .read_reply = read_reply_by_tables,
    .write_failure = write_failure_by_tables,
    .write_refusal = write_refusal_by_tables,
    .with_defaults = with_ids_by_tables,
};

}  // namespace parlance::dialects::kessel
