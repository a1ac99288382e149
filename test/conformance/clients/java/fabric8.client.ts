import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, type Client, output } from '../client.js';

const SOURCES = ['pom.xml', 'src/main/java/Fabric8Client.java', 'src/main/resources/things.yaml'];
const CLASS_PATH = ['target/classes', 'target/dependency/*'];
/** Written when the build is complete. */
const COMPLETE = 'complete';

/** The client that operators in Java use, with its informers, server-side apply, and leader election. */
export const fabric8: Client = {
  name: 'fabric8',
  async prepare(isAllowed) {
    const folder = cacheFolder(`java-${await version()}`);
    if (!existsSync(join(folder, COMPLETE))) {
      if (!isAllowed) return 'the program in Java is not compiled';
      await build(folder);
    }
    const classPath = CLASS_PATH.map((each) => join(folder, each)).join(':');
    return async (kubeconfig) => {
      const printed = await output('java', ['-cp', classPath, 'Fabric8Client'], { env: { KUBECONFIG: kubeconfig } });
      return printed.trim().split('\n');
    };
  },
};

/** Names the state of the sources, so that what is in the cache belongs to them. */
async function version(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of SOURCES) hash.update(await readFile(join(import.meta.dirname, file)));
  return hash.digest('hex').slice(0, 16);
}

async function build(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const file of SOURCES) await cp(join(import.meta.dirname, file), join(folder, file));
  await output('mvn', ['-q', '-B', 'package', 'dependency:copy-dependencies'], { cwd: folder });
  await writeFile(join(folder, COMPLETE), '');
}
