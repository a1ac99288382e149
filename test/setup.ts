import 'reflect-metadata';
import { setImmediate as turn } from 'node:timers/promises';

/** Turns of the event loop after which whatever a test file has begun must have come to its end. */
const TURNS = 100;

let hadImmediates = false;

beforeAll(() => {
  hadImmediates = hasImmediates();
});

/** Files share a process: a loop that a test has left behind would slow down all files after it. The file that has begun it is to be named. */
afterAll(async () => {
  if (hadImmediates) return;
  for (let count = 0; count < TURNS && hasImmediates(); count++) await turn();
  expect(hasImmediates(), 'A loop of setImmediate() still runs after the tests of the file').toBe(false);
});

function hasImmediates(): boolean {
  return process.getActiveResourcesInfo().includes('Immediate');
}
