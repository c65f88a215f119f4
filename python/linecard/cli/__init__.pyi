from linecard.cli.app import app as app
from linecard.cli.app import main as main
from linecard.cli.options import Exit as Exit
