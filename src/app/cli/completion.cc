#include "app/cli/completion.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "app/cli/cli.h"

namespace parlance::cli {

namespace {

struct Word {
    std::string text;
    std::string purpose;
};

struct OptionWords {
    std::vector<std::string> names{};  ///< "--to", "-t".
    std::string purpose{};
    std::vector<std::string> values{};  ///< All permitted values, if few.
    bool takes_value = false;
    bool takes_file = false;
};

/// A command, by its path from the root: "", "agents", "agents show".
struct Command {
    std::string path{};
    std::vector<Word> verbs{};
    std::vector<OptionWords> options{};
    std::vector<Word> choices{};  ///< Permitted values of the first argument, if few.
};

/// CLI11 keeps the choices of an option only in its type name: "TEXT:{low,high}".
std::vector<std::string> choices_in(const std::string& type_name) {
    std::vector<std::string> choices;
    const std::size_t open = type_name.find('{');
    const std::size_t close = type_name.find('}', std::min(open, type_name.size()));
    if (close == std::string::npos) return choices;
    std::string_view list = std::string_view{type_name}.substr(open + 1, close - open - 1);
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        choices.emplace_back(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return choices;
}

bool is_path(const std::string& type_name) {
    return type_name.starts_with("DIR") || type_name.starts_with("FILE");
}

OptionWords words_of(const CLI::Option& option) {
    OptionWords words;
    for (const auto& name : option.get_lnames()) words.names.push_back("--" + name);
    for (const auto& name : option.get_snames()) words.names.push_back("-" + name);
    words.purpose = option.get_description();
    words.takes_value = option.get_expected_max() > 0 && option.get_type_size_max() > 0;
    if (words.takes_value) words.values = choices_in(option.get_type_name());
    words.takes_file = words.takes_value && is_path(option.get_type_name());
    return words;
}

void collect(const CLI::App& app,
             const std::string& path,
             const std::vector<OptionWords>& inherited,
             std::vector<Command>& commands) {
    Command command{.path = path};
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
        command.verbs.push_back({verb->get_name(), verb->get_description()});
    }
    for (const CLI::Option* option : app.get_options()) {
        OptionWords words = words_of(*option);
        if (!words.names.empty()) {
            command.options.push_back(std::move(words));
            continue;
        }
        for (const auto& value : words.values) command.choices.push_back({value, words.purpose});
    }
    // Options of the levels above may follow the verb, but every level has a separate --help.
    std::vector<OptionWords> passed_on = inherited;
    for (const auto& words : command.options) {
        if (words.names.front() != "--help") passed_on.push_back(words);
    }
    command.options.insert(command.options.end(), inherited.begin(), inherited.end());
    commands.push_back(std::move(command));
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
        collect(*verb,
                path.empty() ? verb->get_name() : path + " " + verb->get_name(),
                passed_on,
                commands);
    }
}

std::vector<Command> commands_of(const CLI::App& root) {
    std::vector<Command> commands;
    collect(root, "", {}, commands);
    return commands;
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
    return fmt::format("{}", fmt::join(words, separator));
}

std::vector<std::string> verb_names(const Command& command) {
    std::vector<std::string> names;
    for (const Word& verb : command.verbs) names.push_back(verb.text);
    return names;
}

/// The words possible at the position of a non-option.
std::vector<Word> plain_words(const Command& command) {
    std::vector<Word> words = command.verbs;
    words.insert(words.end(), command.choices.begin(), command.choices.end());
    return words;
}

std::string plain_names(const Command& command) {
    std::string names;
    for (const Word& word : plain_words(command)) {
        names.append(names.empty() ? "" : " ").append(word.text);
    }
    return names;
}

std::vector<std::string> option_names(const Command& command) {
    std::vector<std::string> names;
    for (const OptionWords& option : command.options) {
        names.insert(names.end(), option.names.begin(), option.names.end());
    }
    return names;
}

/// Escapes for a string in single quotes.
std::string escaped(std::string_view text, std::string_view quote) {
    std::string out;
    for (const char c : text) {
        if (c == '\'') {
            out += quote;
        } else {
            out.push_back(c == '\n' ? ' ' : c);
        }
    }
    return out;
}

/// The names of options with a value, so that the value is not taken for a verb.
std::vector<std::string> valued_options(const std::vector<Command>& commands) {
    std::vector<std::string> names;
    for (const Command& command : commands) {
        for (const OptionWords& option : command.options) {
            if (!option.takes_value) continue;
            names.insert(names.end(), option.names.begin(), option.names.end());
        }
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

/// One shell `case` arm per command and option with choices or a file value.
template <class Write>
std::string value_arms(const std::vector<Command>& commands, Write write) {
    std::string arms;
    for (const Command& command : commands) {
        for (const OptionWords& option : command.options) {
            if (option.values.empty() && !option.takes_file) continue;
            for (const auto& name : option.names) arms += write(command.path + ":" + name, option);
        }
    }
    return arms;
}

/// The shell loop that determines the command on the line; the same in bash and zsh.
constexpr std::string_view kFindPath = R"(    while (( i < last )); do
        word="${{words[i]}}"
        i=$((i + 1))
        case "$word" in
            {valued}) i=$((i + 1)) ;;
            -*) ;;
            *)
                case "$path:$word" in
                    {verbs}) path="${{path:+$path }}$word" ;;
                esac ;;
        esac
    done
)";

std::string find_path(const std::vector<Command>& commands) {
    std::vector<std::string> verbs;
    for (const Command& command : commands) {
        for (const auto& verb : verb_names(command))
            verbs.push_back("'" + command.path + ":" + verb + "'");
    }
    return fmt::format(fmt::runtime(kFindPath),
                       fmt::arg("valued", joined(valued_options(commands), "|")),
                       fmt::arg("verbs", joined(verbs, "|")));
}

}  // namespace

std::string bash_completion(const CLI::App& root) {
    const auto commands = commands_of(root);
    std::string out =
        "# Completion of parlance for bash: source <(parlance completion bash)\n"
        "_parlance() {\n"
        "    local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
        "    local words=(\"${COMP_WORDS[@]}\") path='' word i=1 last=$COMP_CWORD\n"
        "    COMPREPLY=()\n";
    out += find_path(commands);
    out += "    case \"$path:$prev\" in\n";
    out += value_arms(commands, [](const std::string& key, const OptionWords& option) {
        const std::string how =
            option.takes_file ? "-f" : fmt::format("-W '{}'", joined(option.values, " "));
        return fmt::format(
            "        '{}') COMPREPLY=($(compgen {} -- \"$cur\")); return ;;\n", key, how);
    });
    out += "    esac\n    case \"$prev\" in\n";
    out += fmt::format("        {}) return ;;\n    esac\n", joined(valued_options(commands), "|"));
    out += "    case \"$path\" in\n";
    for (const Command& command : commands) {
        out += fmt::format(
            "        '{}') if [[ \"$cur\" == -* || -z '{}' ]]; then COMPREPLY=($(compgen -W '{}' "
            "-- "
            "\"$cur\")); else COMPREPLY=($(compgen -W '{}' -- \"$cur\")); fi ;;\n",
            command.path,
            plain_names(command),
            joined(option_names(command), " "),
            plain_names(command));
    }
    return out + "    esac\n}\ncomplete -o default -F _parlance parlance\n";
}

std::string zsh_completion(const CLI::App& root) {
    const auto commands = commands_of(root);
    std::string out =
        "#compdef parlance\n"
        "# Completion of parlance for zsh: source <(parlance completion zsh)\n"
        "_parlance() {\n"
        "    local cur=\"${words[CURRENT]}\" prev=\"${words[CURRENT-1]}\"\n"
        "    local word path_='' i=2 last=$CURRENT\n"
        "    local -a verbs options\n";
    std::string loop = find_path(commands);
    // `path` is zsh's search path; the loop must not touch `path`.
    for (std::size_t at = 0; (at = loop.find("path", at)) != std::string::npos; at += 5) {
        loop.insert(at + 4, "_");
    }
    out += loop;
    out += "    case \"$path_:$prev\" in\n";
    out += value_arms(commands, [](const std::string& key, const OptionWords& option) {
        const std::string how =
            option.takes_file ? "_files" : fmt::format("compadd -- {}", joined(option.values, " "));
        return fmt::format("        '{}') {}; return ;;\n", key, how);
    });
    out += "    esac\n    case \"$path_\" in\n";
    const auto described = [](const std::string& word, const std::string& purpose) {
        return fmt::format(" '{}:{}'", word, escaped(purpose, "'\\''"));
    };
    for (const Command& command : commands) {
        out += fmt::format("        '{}')\n            verbs=(", command.path);
        for (const Word& verb : plain_words(command)) out += described(verb.text, verb.purpose);
        out += " )\n            options=(";
        for (const OptionWords& option : command.options) {
            for (const auto& name : option.names) out += described(name, option.purpose);
        }
        out += " ) ;;\n";
    }
    return out +
           "    esac\n"
           "    if [[ \"$cur\" == -* || ${#verbs} -eq 0 ]]; then _describe option options\n"
           "    else _describe command verbs; fi\n"
           "}\n"
           "compdef _parlance parlance\n";
}

std::string fish_completion(const CLI::App& root) {
    const auto commands = commands_of(root);
    const std::string quote = "\\'";
    std::string out =
        "# Completion of parlance for fish: parlance completion fish | source\n"
        "function __parlance_at --description 'Whether exactly these verbs were typed'\n"
        "    set -l typed (commandline -opc)[2..-1]\n"
        "    set -l path\n"
        "    set -l skip 0\n"
        "    for word in $typed\n"
        "        if test $skip -eq 1; set skip 0; continue; end\n"
        "        switch $word\n";
    out += fmt::format("            case {}\n                set skip 1\n",
                       joined(valued_options(commands), " "));
    out +=
        "            case '-*'\n"
        "            case '*'\n"
        "                set -a path $word\n"
        "        end\n"
        "    end\n"
        "    test \"$path\" = \"$argv\"\n"
        "end\n"
        "complete -c parlance -f\n";
    for (const Command& command : commands) {
        const std::string when =
            fmt::format("complete -c parlance -n '__parlance_at {}'", command.path);
        for (const Word& verb : plain_words(command)) {
            out += fmt::format("{} -a {} -d '{}'\n", when, verb.text, escaped(verb.purpose, quote));
        }
        for (const OptionWords& option : command.options) {
            for (const auto& name : option.names) {
                const bool is_long = name.starts_with("--");
                out += fmt::format(
                    "{} {} {}", when, is_long ? "-l" : "-s", name.substr(is_long ? 2 : 1));
                if (option.takes_value) out += option.takes_file ? " -r -F" : " -x";
                if (!option.values.empty())
                    out += fmt::format(" -a '{}'", joined(option.values, " "));
                out += fmt::format(" -d '{}'\n", escaped(option.purpose, quote));
            }
        }
    }
    return out;
}

void add_completion(CLI::App& app, Context& context) {
    auto shell = std::make_shared<std::string>();
    CLI::App* const verb = add_verb(app,
                                    {"completion",
                                     "Print a script that completes commands in a shell",
                                     "  source <(parlance completion bash)\n"
                                     "  parlance completion fish | source"});
    verb->add_option("shell", *shell, "Which shell")
        ->required()
        ->check(CLI::IsMember(std::vector<std::string>{"bash", "zsh", "fish"}));
    verb->callback(leave(context, [&app, shell] {
        fmt::print("{}",
                   *shell == "bash"  ? bash_completion(app)
                   : *shell == "zsh" ? zsh_completion(app)
                                     : fish_completion(app));
        return static_cast<int>(Done);
    }));
}

}  // namespace parlance::cli
