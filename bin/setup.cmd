@echo off
rem Asks what the bot needs to go live. To be double-clicked.
call "%~dp0start.cmd" setup %*
pause
