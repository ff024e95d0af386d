# Sourced first: an entry of these lists that is empty or relative means the current folder, whose files would be run.
# As core/platform/search_path.py does it, for what Python itself looks for before the program begins.
for list in PATH PYTHONPATH LD_LIBRARY_PATH; do
    full=
    IFS=: read -ra entries <<< "${!list:-}"
    for entry in "${entries[@]}"; do
        [[ $entry == /* ]] && full+=${full:+:}$entry
    done
    if [[ -n $full ]]; then
        export "$list=$full"
    else
        unset "$list"
    fi
done
unset list full entries entry
