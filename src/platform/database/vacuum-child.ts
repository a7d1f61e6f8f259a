import process from "node:process";
import { vacuumFile } from "./vacuum-file.ts";

// A process of its own: `VACUUM` blocks whoever runs it. Its one argument is the database, its one line the end.
process.stdout.write(JSON.stringify(vacuumFile(process.argv[2] ?? "")));
