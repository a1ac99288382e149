import { parseCliOptions } from './cli.options.js';

describe('parseCliOptions', () => {
  it('should have defaults', () => {
    expect(parseCliOptions([])).toEqual({
      port: 6443,
      host: '127.0.0.1',
      featureGates: {},
      enableAdmissionPlugins: [],
      kubeconfig: undefined,
      data: undefined,
      manifests: [],
      token: undefined,
      authorization: 'rbac',
      pods: false,
      builtinControllers: true,
      version: false,
      help: false,
    });
  });

  it('should read options', () => {
    const args = ['--port', '0', '--data', 'd', '--kubeconfig=k', '--pods', '--token', 't'];
    expect(parseCliOptions([...args, '--authorization', 'authenticated']).authorization).toBe('authenticated');
    expect(parseCliOptions(args)).toMatchObject({ port: 0, data: 'd', kubeconfig: 'k', pods: true, token: 't' });
  });

  it('should read the list of controllers as the real controller manager does', () => {
    expect(parseCliOptions(['--controllers', '*,-job-controller'])).toMatchObject({
      builtinControllers: { 'job-controller': false, 'deployment-controller': true },
    });
    expect(parseCliOptions(['--controllers', 'job-controller'])).toMatchObject({
      builtinControllers: { 'job-controller': true, 'deployment-controller': false },
    });
  });

  it.each([
    [['--controllers', 'none-such']],
    [['--port', 'x']],
    [['--port', '70000']],
    [['--port', '-1']],
    [['--port', '']],
    [['--port', '1e3']],
    [['--data', '']],
    [['--manifests', '']],
    [['--token=']],
    [['--nope']],
    [['stray']],
  ])('should refuse %j', (args) => {
    expect(() => parseCliOptions(args)).toThrow(TypeError);
  });
});
