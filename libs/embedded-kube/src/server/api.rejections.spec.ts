import { DEFINITIONS_PATH, Harness, WIDGETS, WIDGETS_PATH, widget } from '../harness.spec-support.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const ONE = `${WIDGETS_PATH}/one`;

let kube: Harness;
beforeEach(async () => {
  kube = await Harness.start();
  await kube.post(DEFINITIONS_PATH, WIDGETS);
});
afterEach(() => kube.kube.stop());

describe('refusals, worded as the real server does', () => {
  const label =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

  it.each<[string, string, string, unknown, number, string, string]>([
    [
      'an existing name',
      'POST',
      WIDGETS_PATH,
      widget('taken'),
      409,
      'AlreadyExists',
      'widgets.example.com "taken" already exists',
    ],
    ['a missing object', 'GET', ONE, undefined, 404, 'NotFound', 'widgets.example.com "one" not found'],
    ['a missing built-in object', 'GET', `${MAPS}/x`, undefined, 404, 'NotFound', 'configmaps "x" not found'],
    [
      'an unknown built-in resource',
      'GET',
      '/api/v1/things',
      undefined,
      404,
      'NotFound',
      'the server could not find the requested resource',
    ],
    [
      'a missing namespace',
      'POST',
      '/api/v1/namespaces/none/configmaps',
      { metadata: { name: 'a' } },
      404,
      'NotFound',
      'namespaces "none" not found',
    ],
    [
      'another namespace in the body',
      'POST',
      WIDGETS_PATH,
      widget('a', { size: '1G' }, { namespace: 'x' }),
      400,
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'no name',
      'POST',
      WIDGETS_PATH,
      { ...widget(''), metadata: {} },
      422,
      'Invalid',
      'Widget.example.com "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
    [
      'a bad name',
      'POST',
      '/api/v1/namespaces',
      { metadata: { name: 'Bad' } },
      422,
      'Invalid',
      `Namespace "Bad" is invalid: metadata.name: Invalid value: "Bad": ${label}`,
    ],
    [
      'a wrong version',
      'POST',
      WIDGETS_PATH,
      { ...widget('a'), apiVersion: 'example.com/v2' },
      400,
      'BadRequest',
      'the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)',
    ],
    [
      'a wrong kind',
      'POST',
      WIDGETS_PATH,
      { ...widget('a'), kind: 'Gadget' },
      422,
      'Invalid',
      'Gadget.example.com "a" is invalid: kind: Invalid value: "Gadget": must be Widget',
    ],
    [
      'a missing field',
      'POST',
      WIDGETS_PATH,
      widget('a', {}),
      422,
      'Invalid',
      'Widget.example.com "a" is invalid: spec.size: Required value',
    ],
    [
      'a wrong type',
      'POST',
      WIDGETS_PATH,
      widget('a', { size: 5 }),
      422,
      'Invalid',
      'Widget.example.com "a" is invalid: spec.size: Invalid value: "integer": spec.size in body must be of type string: "integer"',
    ],
    [
      'an unknown field, strictly',
      'POST',
      `${WIDGETS_PATH}?fieldValidation=Strict`,
      widget('a', { size: '1G', bad: 1 }),
      400,
      'BadRequest',
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.bad"',
    ],
    [
      'an unknown built-in field, strictly',
      'POST',
      `${MAPS}?fieldValidation=Strict`,
      { metadata: { name: 'a' }, dat: {} },
      400,
      'BadRequest',
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat"',
    ],
    [
      'a wrong type in a built-in kind',
      'POST',
      MAPS,
      { metadata: { name: 'a' }, data: { x: 1 } },
      400,
      'BadRequest',
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      'a label of a wrong type',
      'POST',
      MAPS,
      { metadata: { name: 'a', labels: { x: 1 } } },
      400,
      'BadRequest',
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      'a method that is not there',
      'PUT',
      MAPS,
      {},
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
    ],
    [
      'a replacement without a version',
      'PUT',
      `${WIDGETS_PATH}/taken`,
      widget('taken'),
      422,
      'Invalid',
      'widgets.example.com "taken" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ],
    [
      'a replacement of an older version',
      'PUT',
      `${WIDGETS_PATH}/taken`,
      widget('taken', { size: '2G' }, { resourceVersion: '1' }),
      409,
      'Conflict',
      'Operation cannot be fulfilled on widgets.example.com "taken": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [
      'a replacement under another name',
      'PUT',
      `${WIDGETS_PATH}/taken`,
      widget('other'),
      400,
      'BadRequest',
      'the name of the object (other) does not match the name on the URL (taken)',
    ],
    [
      'a failed precondition',
      'DELETE',
      `${WIDGETS_PATH}/taken`,
      { preconditions: { resourceVersion: '1' } },
      409,
      'Conflict',
      expect.stringContaining('the ResourceVersion in the precondition (1) does not match') as string,
    ],
    [
      'a protected namespace',
      'DELETE',
      '/api/v1/namespaces/default',
      undefined,
      403,
      'Forbidden',
      'namespaces "default" is forbidden: this namespace may not be deleted',
    ],
    [
      'an unknown field label',
      'GET',
      `${WIDGETS_PATH}?fieldSelector=spec.size=1G`,
      undefined,
      400,
      'BadRequest',
      'field label not supported: spec.size',
    ],
    [
      'a bad label selector',
      'GET',
      `${WIDGETS_PATH}?labelSelector=a%20b`,
      undefined,
      400,
      'BadRequest',
      "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    ],
    [
      'a dry run of a part',
      'POST',
      `${WIDGETS_PATH}?dryRun=Some`,
      widget('a'),
      422,
      'Invalid',
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    ],
    [
      'a version in the future',
      'GET',
      `${WIDGETS_PATH}?resourceVersion=9999`,
      undefined,
      504,
      'Timeout',
      expect.stringContaining('Timeout: Too large resource version: 9999, current: ') as string,
    ],
    [
      'an event elsewhere than its object',
      'POST',
      '/api/v1/namespaces/default/events',
      { metadata: { name: 'e' }, involvedObject: { namespace: 'x' } },
      422,
      'Invalid',
      'Event "e" is invalid: involvedObject.namespace: Invalid value: "x": does not match event.namespace',
    ],
  ])('should refuse %s', async (_name, method, path, body, code, reason, message) => {
    await kube.post(WIDGETS_PATH, widget('taken'));
    const answer = await kube.request(method, path, body);
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code, reason, message });
    expect(answer.status).toBe(code);
  });

  it.each([['/nothing'], ['/apis/none.dev'], ['/apis/none.dev/v1/things'], ['/apis/example.com/v2/widgets']])(
    'should know nothing at %s',
    async (path) => {
      expect(await kube.get(path)).toMatchObject({ status: 404, text: '404 page not found\n' });
    },
  );

  it('should name all fields that are wrong', async () => {
    const { body } = await kube.post(WIDGETS_PATH, widget('a', { size: '1', count: 9 }));
    expect(body.details).toEqual({
      name: 'a',
      group: 'example.com',
      kind: 'Widget',
      causes: [
        {
          field: 'spec.count',
          reason: 'FieldValueInvalid',
          message: 'Invalid value: 9: spec.count in body should be less than or equal to 5',
        },
        {
          field: 'spec.size',
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "1": spec.size in body should be at least 2 chars long',
        },
      ],
    });
  });

  it('should warn of pruned fields', async () => {
    const { status, headers, body } = await kube.post(WIDGETS_PATH, {
      ...widget('a', { size: '1G', bad: 1, free: { x: { y: 1 } } }),
      top: 1,
    });
    expect(status).toBe(201);
    expect(headers['warning']).toBe('299 - "unknown field \\"spec.bad\\"", 299 - "unknown field \\"top\\""');
    expect(body.spec).toEqual({ color: 'red', free: { x: { y: 1 } }, size: '1G' });
  });
});
