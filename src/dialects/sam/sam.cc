#include "dialects/sam/sam.h"

#include "dialects/sam/tables.h"
#include "dialects/tables.h"

namespace parlance::dialects::sam {

constinit const DialectRow kRow{
    .dialect = Dialect::Sam,
    .name = "sam",
    .document = kDocument,
    .marks = kMarks,
    .forms = &kForms,
    .objects = kObjects,
    .read_message = read_by_tables,
    .read_reply = read_reply_by_tables,
    .write_failure = write_failure_by_tables,
    .write_refusal = write_refusal_by_tables,
    .with_defaults = with_ids_by_tables,
};

}  // namespace parlance::dialects::sam
