#!/bin/sh
# Hands secrets that are files to the daemon, which takes them as variables or as a file of its own.
set -eu
umask 077

# take NAME FILE: set a variable to what a secret holds, when there is such a secret.
take() {
    if [ -r "/run/secrets/$2" ]; then
        value="$(cat "/run/secrets/$2")"
        export "$1=$value"
    fi
}

take QDRANT_API_KEY qdrant_api_key
take PAPARATS_EMBEDDER_API_KEY embed_api_key
if [ -r /run/secrets/paparats_token ]; then
    cat /run/secrets/paparats_token > "$PAPARATS_CONFIG_DIR/token"
fi
exec "$@"
