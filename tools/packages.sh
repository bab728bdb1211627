# Debian 12 packages for building and testing Parlance; tools/setup reads this file.
# libboost1.81-dev conflicts with the -dev packages of Boost 1.74: no package here may depend on those.
build_packages=(
    g++ cmake ninja-build ccache git python3
    libboost1.81-dev libboost-json1.81-dev  # Asio, Beast, containers; JSON documents
    libssl-dev                              # hashes, signatures, TLS
    libsimdjson-dev libexpected-dev libfmt-dev
    libre2-dev                              # regular expressions in linear time
    libsqlite3-dev                          # the views
    liblinear-dev                           # the intent classifier
    libcurl4-openssl-dev                    # mail and Slack notifications for human tasks
    libutf8proc-dev                         # Unicode normalisation and case folding
    libcli11-dev libtomlplusplus-dev libspdlog-dev
)
test_packages=(
    libgtest-dev libbenchmark-dev
    clang libclang-rt-14-dev                # libFuzzer and the sanitizers' runtime
    clang-format clang-tidy
    lld                                     # links a test program in one second instead of six
    openssl                                 # certificates that the hub refuses
    strace curl                             # fault injection into system calls; README commands
    python3-aiosmtpd                        # mail server for notification tests
    python3-jsonschema                      # independent check of the served JSON Schemas
)
