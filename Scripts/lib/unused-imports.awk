# Prints FILE:LINE: REASON for each unused import of one of our modules, and exits with 1 if there is
# any. Reads all Swift sources twice: awk -f unused-imports.awk FILES pass=2 FILES
#
# It knows names, not types. An import counts as used if the file contains the name of the module, of
# one of its public types or functions, or, after a dot or before a colon, of one of their members. So
# every reported import is unused, but some unused imports are not reported.

# The identifier that `text` begins with.
function leading_name(text) {
    sub(/^[ \t`]+/, "", text)
    return match(text, /^[A-Za-z_][A-Za-z0-9_]*/) ? substr(text, 1, RLENGTH) : ""
}

function declare_cases(line,    count, part, parts) {
    sub(/^[ \t]*(indirect )?case /, "", line)
    gsub(/\([^()]*(\([^()]*\)[^()]*)*\)/, "", line)
    count = split(line, parts, ",")
    for (part = 1; part <= count; part++) members[module, leading_name(parts[part])] = 1
}

function declare(line,    rest) {
    if (match(line, /(^|[ \t])(struct|enum|class|protocol|actor|typealias|associatedtype)[ \t]/))
        names[module, leading_name(substr(line, RSTART + RLENGTH))] = 1
    else if (match(line, /(^|[ \t])(func|var|let)[ \t]/)) {
        rest = leading_name(substr(line, RSTART + RLENGTH))
        # Comparison operators belong to the standard library.
        if (rest == "") has_operators[module] = has_operators[module] || line !~ /func (<|==)/
        else if (line ~ /^[a-z]/) names[module, rest] = 1
        else members[module, rest] = 1
    } else if (match(line, /(init|subscript)[?<(]/)) {
        rest = substr(line, RSTART + RLENGTH - 1)
        sub(/^[^(]*\(/, "", rest)
        rest = leading_name(rest)
        # Without a label its type is named, unless it is somebody else's.
        if (rest == "_" || rest == "" || line ~ /subscript/) members[module, "init"] = 1
        else members[module, rest] = 1
    }
}

function use(word, is_member,    name) {
    for (name in import_line)
        if ((name, word) in names || is_member && (name, word) in members || name == word)
            is_used[name] = 1
}

function report_unused(    name) {
    for (name in import_line) {
        if (!(name in is_used)) {
            printf "%s:%d: nothing of %s is used here\n", file, import_line[name], name
            unused++
        }
        delete import_line[name]
    }
    for (name in is_used) delete is_used[name]
}

FNR == 1 {
    if (pass == 2) report_unused()
    file = FILENAME
    split(FILENAME, path, "/")
    module = path[2] == "linkcond" ? path[2] : path[3]
    is_interface = 0
    if (pass != 2) is_ours[module] = 1
}

pass != 2 {
    if (/^(public |package )?(protocol|extension) /) is_interface = /^(public|package) protocol /
    else if (/^}/) is_interface = 0
    if (/^[ \t]*(indirect )?case [a-z`]/) declare_cases($0)
    else if (/(^|[ \t])(public|package)[ \t(]/ || is_interface) declare($0)
    next
}

/^(public |@testable |@_exported )?import [A-Za-z]/ {
    if ($NF in is_ours) import_line[$NF] = FNR
    next
}

/^[ \t]*\/\// { next }

{
    line = $0
    if (/ [-+*\/<>&|^]+ /) for (name in import_line) if (has_operators[name]) is_used[name] = 1
    while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
        before = RSTART > 1 ? substr(line, RSTART - 1, 1) : ""
        after = substr(line, RSTART + RLENGTH, 1)
        use(substr(line, RSTART, RLENGTH), before == "." || after == ":")
        line = substr(line, RSTART + RLENGTH)
        # What follows a name does not precede the next one.
        if (after != ".") line = " " line
    }
}

END { report_unused(); exit unused > 0 }
