"""The subcommands of `rigwright`, each module named after its command or group of commands."""
