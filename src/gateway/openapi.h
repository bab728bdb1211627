// Machine-readable descriptions of the listeners, written from the tables of routes and verbs.
#pragma once

#include <string>
#include <string_view>

namespace parlance::gateway {

/// OpenAPI 3.1 of every route.
std::string write_openapi(std::string_view version);
/// AsyncAPI 3.0 of /v1/connect.
std::string write_asyncapi(std::string_view version);

}  // namespace parlance::gateway
