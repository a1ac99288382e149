import 'reflect-metadata';
import { KubeClient, SystemClock } from 'nestjs-kopf';
import { Demo } from './demo.js';
import { EmbeddedProgram } from './embedded.program.js';

/** Plays the life of a claim on an API server of its own, and checks each step: `npm run demo`. */
const program = new EmbeddedProgram();
try {
  const { app } = await program.start(['warn', 'error']);
  const report = (line: string): void => console.log(`✓ ${line}`);
  const announce = (line: string): void => console.log(`… ${line}`);
  await new Demo({ client: app.get(KubeClient), clock: new SystemClock(), report, announce }).run();
} catch (error) {
  console.error(`✗ ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  await program.stop();
}
