"""Runs an operator of Python's Kopf with all kinds of handlers: changes, daemons, timers, indices, admission, peering.

KUBECONFIG names the server. Prints one line for each step; the lines are the same on every server.
"""
import logging
import subprocess
import sys
import tempfile
import threading
import time

import kopf
import kopf.testing
import yaml
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

GROUP = 'kopfclient.example.com'
NAMESPACE = 'kopf-client'
PARTS = (GROUP, 'v1', 'examples')
KEYS = tempfile.mkdtemp()

lock = threading.Lock()
calls = {}


def called(name, handler):
    with lock:
        calls.setdefault(name, []).append(handler)


def calls_of(name):
    with lock:
        return list(calls.get(name, []))


def say(step, *values):
    # The runner of the operator captures what is printed in the usual way.
    print(step, *values, flush=True, file=sys.__stdout__)


def until(what, is_so):
    """Waits until something is so, for at most a minute."""
    deadline = time.monotonic() + 60
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError(f'Not within a minute: {what}; the calls are {calls}.')
        time.sleep(0.05)


@kopf.on.startup()
def configure(settings, **_):
    settings.admission.managed = f'auto.{GROUP}'
    settings.admission.server = kopf.WebhookServer(
        addr='127.0.0.1', certfile=f'{KEYS}/tls.crt', pkeyfile=f'{KEYS}/tls.key', cafile=f'{KEYS}/tls.crt')
    settings.posting.level = logging.INFO
    called('operator', 'startup')


@kopf.on.cleanup()
def cleanup(**_):
    called('operator', 'cleanup')


@kopf.on.probe(id='alive')
def probe(**_):
    return 'yes'


@kopf.index('configmaps', labels={'kopf': 'indexed'})
def colors(name, body, **_):
    return {body['data']['color']: name}


@kopf.on.resume(*PARTS)
def resumed(name, **_):
    called(name, 'resumed')


@kopf.on.create(*PARTS, retries=3, backoff=0.1)
def created(name, spec, patch, retry, memo, colors, **_):
    called(name, f'created {retry}')
    memo.seen = True
    if spec.get('broken'):
        raise kopf.PermanentError('It is broken.')
    if retry < 1:
        raise kopf.TemporaryError('Not yet.', delay=0.1)
    patch.status['colors'] = sorted(colors)
    child = {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {}, 'data': {'size': str(spec['size'])}}
    kopf.adopt(child)
    kopf.label(child, {'child': 'true'})
    config.load_kube_config()
    client.CoreV1Api().create_namespaced_config_map(child['metadata']['namespace'], child)
    kopf.info(child, reason='Made', message='A child.')
    return {'retries': retry}


@kopf.on.create(*PARTS, id='parent')
def parent(name, **_):
    called(name, 'parent')

    @kopf.subhandler(id='first')
    def first(**_):
        called(name, 'parent/first')
        return 1

    @kopf.subhandler(id='second')
    async def second(**_):
        called(name, 'parent/second')


@kopf.on.update(*PARTS)
async def updated(name, diff, memo, **_):
    called(name, f'updated {[(op, ".".join(path), old, new) for op, path, old, new in diff]}')


@kopf.on.field(*PARTS, field='spec.size', value=kopf.PRESENT)
def resized(name, old, new, **_):
    called(name, f'resized {old} {new}')


@kopf.on.delete(*PARTS)
def deleted(name, memo, **_):
    called(name, f'deleted {memo.get("seen")}')


@kopf.on.event('pods', labels={'kopf': kopf.PRESENT})
def pod_seen(type, name, **_):
    called('pods', f'{type} {name}')


@kopf.daemon(*PARTS, when=lambda spec, **_: bool(spec.get('daemon')), cancellation_timeout=1)
async def watched(name, stopped, spec, **_):
    called(name, 'daemon starts')
    while not stopped:
        if spec.get('size') == 7:
            called(name, 'daemon sees 7')
            break
        await stopped.wait(0.05)
    await stopped.wait()
    called(name, 'daemon stops')


@kopf.timer(*PARTS, interval=0.2, field='spec.timer', value=True)
def ticked(name, patch, **_):
    called(name, 'tick')
    patch.status['ticked'] = True


@kopf.on.mutate(*PARTS, operation='CREATE')
def painted(spec, patch, **_):
    if not spec.get('color'):
        patch.spec['color'] = 'green'


@kopf.on.validate(*PARTS, field='spec.size')
def checked(spec, warnings, **_):
    if spec.get('size', 0) > 100:
        raise kopf.AdmissionError('It is too large.', code=422)
    if spec.get('size', 0) > 50:
        warnings.append('It is large.')


def make_keys():
    command = ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', f'{KEYS}/tls.key']
    command += ['-out', f'{KEYS}/tls.crt', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    subprocess.run(command, check=True, capture_output=True)


def main():
    make_keys()
    config.load_kube_config()
    core, custom, extensions = client.CoreV1Api(), client.CustomObjectsApi(), client.ApiextensionsV1Api()
    core.create_namespace({'metadata': {'name': NAMESPACE}})
    for definition in yaml.safe_load_all(DEFINITIONS):
        extensions.create_custom_resource_definition(definition)
    until('the account of pods', lambda: any(each.metadata.name == 'default' for each in core.list_namespaced_service_account(NAMESPACE).items))
    core.create_namespaced_config_map(NAMESPACE, {'metadata': {'name': 'indexed', 'labels': {'kopf': 'indexed'}}, 'data': {'color': 'blue'}})

    def read(name):
        try:
            return custom.get_namespaced_custom_object(*PARTS[:2], NAMESPACE, 'examples', name)
        except ApiException as error:
            return {} if error.status == 404 else None

    def create(name, **spec):
        body = {'apiVersion': f'{GROUP}/v1', 'kind': 'Example', 'metadata': {'name': name}, 'spec': spec}
        return custom.create_namespaced_custom_object(*PARTS[:2], NAMESPACE, 'examples', body)

    def patch(name, body):
        return custom.patch_namespaced_custom_object(*PARTS[:2], NAMESPACE, 'examples', name, body)

    until('the resource', lambda: read('none') == {})
    until('the resource is listed', lambda: not custom.list_cluster_custom_object(*PARTS)['items'])
    create('before', size=1)
    until('the peering', lambda: peering(custom))
    arguments = ['run', '--all-namespaces', '--peering=kopf-client', '--priority=5']
    with kopf.testing.KopfRunner(arguments, timeout=60) as runner:
        until('the first object is handled', lambda: 'last-handled' in str(read('before')))
        say('before', sorted(set(calls_of('before'))))
        until('webhooks', lambda: admitted(create))
        create('full', size=2, daemon=True, timer=True)
        until('the object is handled', lambda: 'colors' in str(read('full').get('status')) and 'ticked' in str(read('full')))
        until('its progress is gone', lambda: 'last-handled' in str(read('full')) and 'progress' not in str(read('full').get('status')))
        full = read('full')
        say('full', full['spec'], full['status']['colors'], full['status']['created'], full['metadata']['finalizers'])
        say('annotations', sorted(full['metadata']['annotations']))
        say('calls', sorted(set(calls_of('full'))))
        child = core.list_namespaced_config_map(NAMESPACE, label_selector='child=true').items[-1]
        say('child', child.metadata.owner_references[0].kind, child.data)
        patch('full', {'spec': {'size': 7}})
        until('the change is handled', lambda: any('resized 2 7' in call for call in calls_of('full')) and 'daemon sees 7' in calls_of('full'))
        until('the update is handled', lambda: any(call.startswith('updated') for call in calls_of('full')))
        say('updated', sorted(call for call in calls_of('full') if 'updated' in call or 'resized' in call or 'daemon' in call))
        create('broken', size=1, broken=True)
        until('it has failed', lambda: 'last-handled' in str(read('broken')))
        say('broken', [call for call in calls_of('broken') if call.startswith('created')])
        try:
            patch('full', {'spec': {'size': 1000}})
        except ApiException as error:
            say('refused', error.status, yaml.safe_load(error.body)['message'])
        core.create_namespaced_pod(NAMESPACE, {'metadata': {'name': 'web', 'labels': {'kopf': 'x'}}, 'spec': {'containers': [{'name': 'a', 'image': 'a'}]}})
        until('the pod runs', lambda: core.read_namespaced_pod('web', NAMESPACE).status.phase == 'Running')
        core.delete_namespaced_pod('web', NAMESPACE, grace_period_seconds=0)
        until('the events of the pod', lambda: 'DELETED web' in calls_of('pods'))
        say('pod', calls_of('pods')[0], calls_of('pods')[-1])
        custom.delete_namespaced_custom_object(*PARTS[:2], NAMESPACE, 'examples', 'full')
        until('it is gone', lambda: read('full') == {})
        say('deleted', [call for call in calls_of('full') if 'deleted' in call or 'stops' in call])
        peers = custom.get_cluster_custom_object('kopf.dev', 'v1', 'clusterkopfpeerings', 'kopf-client')
        say('peers', [peer['priority'] for peer in peers['status'].values()])
        until('events', lambda: len(core.list_namespaced_event(NAMESPACE, field_selector='reason=Made').items) > 0)
        event = core.list_namespaced_event(NAMESPACE, field_selector='reason=Made').items[0]
        say('event', event.message, event.type, event.source.component, event.involved_object.kind)
        webhooks = client.AdmissionregistrationV1Api()
        say('webhooks', [each.name for each in webhooks.read_validating_webhook_configuration(f'auto.{GROUP}').webhooks])
    say('ended', runner.exit_code, calls_of('operator'))
    peers = custom.get_cluster_custom_object('kopf.dev', 'v1', 'clusterkopfpeerings', 'kopf-client')
    say('peers left', peers.get('status') or {})


def peering(custom):
    """The resource is served a moment after its definition is there."""
    try:
        body = {'apiVersion': 'kopf.dev/v1', 'kind': 'ClusterKopfPeering', 'metadata': {'name': 'kopf-client'}}
        return custom.create_cluster_custom_object('kopf.dev', 'v1', 'clusterkopfpeerings', body)
    except ApiException:
        return None


def admitted(create):
    """The webhooks are in force a moment after the operator has started."""
    try:
        create('probe', size=1000)
    except ApiException as error:
        return error.status == 422
    config.load_kube_config()
    client.CustomObjectsApi().delete_namespaced_custom_object(*PARTS[:2], NAMESPACE, 'examples', 'probe')
    time.sleep(0.2)
    return False


DEFINITIONS = f"""
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: examples.{GROUP}}}
spec:
  group: {GROUP}
  scope: Namespaced
  names: {{plural: examples, singular: example, kind: Example}}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {{status: {{}}}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {{type: object, x-kubernetes-preserve-unknown-fields: true}}
          status: {{type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: clusterkopfpeerings.kopf.dev}}
spec:
  group: kopf.dev
  scope: Cluster
  names: {{plural: clusterkopfpeerings, singular: clusterkopfpeering, kind: ClusterKopfPeering}}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {{openAPIV3Schema: {{type: object, x-kubernetes-preserve-unknown-fields: true}}}}
"""

if __name__ == '__main__':
    main()
