"""``python -m linecard`` runs the command line."""

from linecard.cli import main

if __name__ == "__main__":
    main()
