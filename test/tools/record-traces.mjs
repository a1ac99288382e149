// Records again what Python Kopf calls and writes in the families of test/contract/families.py, into test/contract/families.json.
//   KUBEBUILDER_ASSETS=… node test/tools/record-traces.mjs [--only NAME]… [--verbose]
//   node test/tools/record-traces.mjs --kubeconfig FILE [--python PYTHON] …
//   node test/tools/record-traces.mjs --traces […]: the scenarios of test/contract/scenarios.py, into test/contract/traces.json
//   node test/tools/record-traces.mjs --vectors [--python PYTHON]: the results in test/contract/vectors.json instead, which needs no cluster
// Without a kubeconfig, it starts a control plane of its own; a given one must be of a cluster for tests. Without a Python that has Kopf, it installs one.
// A new family is a function in families.py, and its counterpart with the same name in families.ts; `--only NAME` records it alone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    python: { type: 'string' },
    only: { type: 'string', multiple: true },
    verbose: { type: 'boolean' },
    traces: { type: 'boolean' },
    vectors: { type: 'boolean' },
  },
});
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const load = async (relative) => (await runnerImport(path(relative), { logLevel: 'error' })).module;

const python = values.python ?? (await (await load('../support/operators/python.kopf.ts')).installPythonKopf());
const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
const run = async (args, more = {}) => {
  const [code] = await once(spawn(python, args, { stdio: 'inherit', env: { ...env, ...more } }), 'exit');
  process.exitCode = code ?? 1;
};

async function record(source, target) {
  const cluster = values.kubeconfig
    ? { kubeconfigPath: values.kubeconfig, stop: async () => {} }
    : await (await load('../support/clusters/control-plane.ts')).startControlPlane({ controllers: false });
  try {
    const args = [path('./record_traces.py'), path(`../contract/${source}.py`), path(`../contract/${target}.json`)];
    for (const name of values.only ?? []) args.push('--only', name);
    if (values.verbose) args.push('--verbose');
    await run(args, { KUBECONFIG: cluster.kubeconfigPath });
  } finally {
    await cluster.stop();
  }
}

if (values.vectors) await run([path('./record_vectors.py'), path('../contract/vectors.json')]);
else if (values.traces) await record('scenarios', 'traces');
else await record('families', 'families');
