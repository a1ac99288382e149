import { EmbeddedKube } from 'embedded-kube';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { kubectlPath } from '../../support/clusters/control-plane.js';
import { Kubectl } from '../../support/clusters/kubectl.js';

const PODS = { group: '', plural: 'pods' };

describe.each(['WebSockets', 'SPDY'])('kubectl and the streams of simulated pods, over %s', (carrier) => {
  let folder: string;
  let kube: EmbeddedKube;
  let kubectl: Kubectl;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'streams-'));
    kube = await EmbeddedKube.start({ pods: { startSeconds: 0 } });
    kube.writeKubeconfig(join(folder, 'kubeconfig'));
    const enabled = String(carrier === 'WebSockets');
    kubectl = new Kubectl(kubectlPath(), join(folder, 'kubeconfig'), folder, {
      KUBECTL_REMOTE_COMMAND_WEBSOCKETS: enabled,
      KUBECTL_PORT_FORWARD_WEBSOCKETS: enabled,
    });
    const spec = { containers: [{ name: 'main', image: 'i' }] };
    await kube.client.create(PODS, 'default', { metadata: { name: 'web' }, spec });
    await kubectl.run(['wait', '--for=condition=Ready', 'pod/web']);
  });

  afterAll(async () => {
    kubectl.close();
    await kube.stop();
    rmSync(folder, { recursive: true });
  });

  it('should execute commands', async () => {
    kube.pods.exec('web', async ({ command, input, writeError }) => {
      if (command[0] === 'fail') return { stdout: 'out\n', exitCode: 3 };
      writeError('oops\n');
      return `${command.join(' ')}: ${(await input()).toUpperCase()}`;
    });
    expect(await kubectl.run(['exec', 'web', '--', 'fail'])).toBe(
      'out\ncommand terminated with exit code 3\n(exit code 3)',
    );
    const shout = await kubectl.start(['exec', '-i', 'web', '--', 'cat', '-n']).finish('shout\n');
    expect(shout.split('\n').sort()).toEqual(['cat -n: SHOUT', 'oops']);
  });

  it('should attach', async () => {
    kube.pods.attach('web', 'hello\n');
    expect(await kubectl.run(['attach', 'web', '-q'])).toContain('hello');
  });

  it('should copy files from a pod and to it', async () => {
    const root = join(folder, 'root');
    mkdirSync(join(root, 'etc'), { recursive: true });
    writeFileSync(join(root, 'etc/app.conf'), 'a=1\n'.repeat(50_000));
    writeFileSync(join(folder, 'sent'), 'sent\n');
    kube.pods.files('web', root);
    expect(await kubectl.run(['cp', 'web:/etc/app.conf', 'received'])).not.toContain('exit code');
    expect(readFileSync(join(folder, 'received'), 'utf8')).toBe('a=1\n'.repeat(50_000));
    expect(await kubectl.run(['cp', 'sent', 'web:/var/data/sent'])).toBe('');
    expect(readFileSync(join(root, 'var/data/sent'), 'utf8')).toBe('sent\n');
  });

  it('should forward ports', async () => {
    kube.pods.listen('web', 7, (connection) => connection.pipe(connection));
    const forwarding = kubectl.start(['port-forward', 'web', ':7', ':8']);
    await vi.waitFor(() => expect(forwarding.output).toContain('-> 8'), { timeout: 10_000 });
    const [echo, closed] = [...forwarding.output.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port));
    const socket = connect(echo, '127.0.0.1');
    socket.end('ping');
    expect(await text(socket)).toBe('ping');
    const refused = connect(closed, '127.0.0.1');
    refused.on('error', () => undefined).resume();
    await once(refused, 'close');
    await vi.waitFor(() => expect(forwarding.output).toContain('dial tcp 127.0.0.1:8: connect: connection refused'));
    await forwarding.end();
  });

  it('should follow logs until the pod is gone', async () => {
    kube.pods.log('web', 'one\n');
    const following = kubectl.start(['logs', '-f', 'web']);
    await vi.waitFor(() => expect(following.output).toBe('one\n'), { timeout: 10_000 });
    kube.pods.print('web', 'two\n');
    await kube.client.delete(PODS, 'default', 'web');
    expect(await following.finish()).toBe('one\ntwo');
  });
});
