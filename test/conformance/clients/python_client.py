"""Uses a server as operators in Python do: by the official client, with lists, watches, patches, and the dynamic client.

KUBECONFIG names the server. Prints one line for each step; the lines are the same on every server.
"""
import threading
import time
import yaml

from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import ConflictError

NAMESPACE = 'python-client'


def say(step, *values):
    print(step, *values, flush=True)


def config_map(name, **data):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels={'app': 'python'}), data=data)


def follow(core, names):
    """Collects the events of config maps until they have gone again."""
    stream = watch.Watch()
    for event in stream.stream(core.list_namespaced_config_map, NAMESPACE, label_selector='app=python', timeout_seconds=30):
        names.append(f"{event['type']} {event['object'].metadata.name}")
        if event['type'] == 'DELETED':
            stream.stop()


def main():
    api = config.new_client_from_config()
    core, definitions = client.CoreV1Api(api), client.ApiextensionsV1Api(api)
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))

    events = []
    watcher = threading.Thread(target=follow, args=(core, events))
    watcher.start()
    core.create_namespaced_config_map(NAMESPACE, config_map('a', x='1'))
    # A watch that opens late begins with the state of then, and would not see the change.
    deadline = time.monotonic() + 30
    while not events and time.monotonic() < deadline:
        time.sleep(0.01)
    core.patch_namespaced_config_map('a', NAMESPACE, {'data': {'y': '2'}})
    say('patched', sorted(core.read_namespaced_config_map('a', NAMESPACE).data.items()))
    for index in range(5):
        core.create_namespaced_config_map(NAMESPACE, config_map(f'page-{index}'))
    page = core.list_namespaced_config_map(NAMESPACE, label_selector='app=python', limit=2)
    say('page', len(page.items), page.metadata._continue is not None, page.metadata.remaining_item_count)
    rest = core.list_namespaced_config_map(NAMESPACE, label_selector='app=python', limit=10, _continue=page.metadata._continue)
    say('rest', len(rest.items))
    core.delete_namespaced_config_map('a', NAMESPACE)
    watcher.join(30)
    say('watched', events[0], events[-1], len(events))

    stale = core.read_namespaced_config_map('page-0', NAMESPACE)
    core.patch_namespaced_config_map('page-0', NAMESPACE, {'data': {'x': '1'}})
    try:
        core.replace_namespaced_config_map('page-0', NAMESPACE, stale)
    except ApiException as error:
        say('stale', error.status, error.reason)

    definitions.create_custom_resource_definition(yaml.safe_load(DEFINITION))
    discovered = dynamic.DynamicClient(api)
    things = wait_for(lambda: discovered.resources.get(api_version='python.example.com/v1', kind='Thing'))
    body = {'apiVersion': 'python.example.com/v1', 'kind': 'Thing', 'metadata': {'name': 'one'}, 'spec': {'size': 1}}
    things.server_side_apply(body, namespace=NAMESPACE, field_manager='python')
    try:
        body['spec']['size'] = 2
        things.server_side_apply(body, namespace=NAMESPACE, field_manager='other')
    except ConflictError as error:
        say('conflict', error.status)
    forced = things.server_side_apply(body, namespace=NAMESPACE, field_manager='other', force_conflicts=True)
    say('applied', forced.spec.size, [entry.manager for entry in forced.metadata.managedFields])
    try:
        things.create(dict(body, metadata={'name': 'two'}, spec={'size': 'large'}), namespace=NAMESPACE)
    except dynamic.exceptions.UnprocessibleEntityError as error:
        say('refused', error.status)
    for event in things.watch(namespace=NAMESPACE, timeout=1):
        say('thing', event['type'], event['object'].metadata.name)

    scale = client.AppsV1Api(api)
    template = {'metadata': {'labels': {'app': 'web'}}, 'spec': {'containers': [{'name': 'main', 'image': 'web'}]}}
    spec = {'replicas': 0, 'selector': {'matchLabels': {'app': 'web'}}, 'template': template}
    scale.create_namespaced_deployment(NAMESPACE, {'metadata': {'name': 'web'}, 'spec': spec})
    scaled = scale.patch_namespaced_deployment_scale('web', NAMESPACE, {'spec': {'replicas': 3}})
    say('scaled', scaled.spec.replicas, scale.read_namespaced_deployment('web', NAMESPACE).spec.replicas)

    definitions.delete_custom_resource_definition('things.python.example.com')
    core.delete_namespace(NAMESPACE)
    say('version', client.VersionApi(api).get_code().major)


def wait_for(find):
    """Tries again until a resource that was defined just now is served."""
    for attempt in range(100):
        try:
            return find()
        except dynamic.exceptions.ResourceNotFoundError:
            threading.Event().wait(0.1)
    raise TimeoutError('The resource is not served.')


DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.python.example.com}
spec:
  group: python.example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer}}}
"""

if __name__ == '__main__':
    main()
