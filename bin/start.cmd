@echo off
rem Starts the bot, or the rehearsal where it is not set up yet. To be double-clicked.
cd /d "%~dp0.."
where node >nul 2>nul || (echo Node is missing: get it from https://nodejs.org & pause & exit /b 1)
rem npm writes this file when all is installed.
if not exist node_modules\.package-lock.json call npm.cmd ci || (pause & exit /b 1)
rem A newer version that was unpacked over this one has to be built, and may need other packages.
node bin\build.js --if-changed || call npm.cmd ci || (pause & exit /b 1)
node dist\main.js %*
rem setup.cmd waits for a key itself.
if errorlevel 1 if not "%~1"=="setup" pause
