import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Says where the test binary is looked for, to those who lack it. */
export const BINARY_MISSING =
  'KUBEBUILDER_ASSETS names no folder with e2e.test, the binary of Kubernetes’ own tests: see test/conformance/README.md';

/** The binary of Kubernetes' own tests beside those of the control plane; `undefined` if it is not there. */
export function findTestBinary(): string | undefined {
  const folder = process.env.KUBEBUILDER_ASSETS;
  const path = folder && join(folder, 'e2e.test');
  return path && existsSync(path) ? path : undefined;
}
