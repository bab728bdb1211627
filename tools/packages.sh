# The Debian 12 packages that Parlance needs, in one place; read by tools/setup.
# libboost1.81-dev conflicts with the -dev packages of 1.74: nothing here may pull those in.
build_packages=(
    g++ cmake ninja-build ccache git python3
    libboost1.81-dev libboost-json1.81-dev  # Asio, Beast, containers; JSON documents
    libssl-dev                              # hashes, signatures, TLS
    libsimdjson-dev libexpected-dev libfmt-dev
    libre2-dev                              # patterns in linear time
    libsqlite3-dev                          # the views
    liblinear-dev                           # the intent classifier
    libcurl4-openssl-dev                    # mail and Slack, for people
    libutf8proc-dev                         # texts compared whatever their case and encoding
    libcli11-dev libtomlplusplus-dev libspdlog-dev
)
test_packages=(
    libgtest-dev libbenchmark-dev
    clang libclang-rt-14-dev                # libFuzzer and the sanitizers' runtime
    clang-format clang-tidy
    lld                                     # links a test program in a second instead of six
    openssl                                 # certificates that the hub itself would not issue
    strace curl                             # failing system calls on purpose; transcripts
    python3-aiosmtpd                        # a mail server that the hub writes to
    python3-jsonschema                      # another's judgement on the schemas that are served
)
