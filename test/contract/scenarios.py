"""Scenarios of operators whose handling by Python Kopf is recorded in traces.json, and compared with ours by traces.spec.ts.

Each scenario declares handlers as any operator of Kopf does, which note their calls by `called(…)`, and has actions of users. Its counterpart
in scenarios.ts has the same name. The number of a timer's calls depends on the clock: only their shape is compared.

Recorded by: KUBEBUILDER_ASSETS=… node test/tools/record-traces.mjs --traces [--only NAME]
"""
import kopf

KEX = ('kopf.dev/v1', 'kopfexamples')

FAMILIES = []


def scenario(name, actions, *, status_subresource=False, configure=None):
    """Adds a scenario to those that are recorded: what users do while an operator with the declared handlers runs."""
    def decorator(declare):
        async def play(stage):
            declare(stage.called)
            await stage.start(configure)
            await actions(stage)
            await stage.stop()

        FAMILIES.append((name, status_subresource, play))
        return declare
    return decorator


def create_and_wait(seconds=2.5):
    async def actions(stage):
        await stage.create()
        await stage.wait(seconds)
    return actions


def create_and_delete(seconds=1):
    async def actions(stage):
        await stage.create()
        await stage.wait(seconds)
        await stage.delete()
        await stage.wait(1.5)
    return actions


def create_and_change(*patches, pause=1, end=None):
    async def actions(stage):
        await stage.create()
        await stage.wait(1)
        for patch in patches:
            await stage.patch(patch)
            await stage.wait(pause)
        if end is not None:
            await stage.wait(end)
    return actions


def field(value):
    return {'spec': {'field': value}}


async def create_update_delete(stage):
    await create_and_change(field('v2'), pause=1.5)(stage)
    await stage.delete()
    await stage.wait(1.5)


async def delete_with_other_finalizers(stage):
    await stage.create({'metadata': {'finalizers': ['other/one', 'other/two']}})
    await stage.wait(1)
    await stage.delete()
    await stage.wait(1.5)
    await stage.patch({'metadata': {'finalizers': ['other/two']}})
    await stage.wait(0.5)
    await stage.patch({'metadata': {'finalizers': []}})
    await stage.wait(1)


@scenario('same with status subresource', create_update_delete, status_subresource=True)
@scenario('basic create-update-delete', create_update_delete)
def basic(called):
    @kopf.on.create(*KEX, id='create_fn')
    def create(**kwargs):
        called('create_fn', kwargs)
        return {'msg': 'hi'}

    @kopf.on.update(*KEX, id='update_fn')
    def update(diff, **kwargs):
        called('update_fn', kwargs, diff=diff)
        return 'done'

    @kopf.on.delete(*KEX, id='delete_fn')
    def delete(**kwargs):
        called('delete_fn', kwargs)


@scenario('create without finalizer', create_and_wait())
def without_finalizer(called):
    @kopf.on.create(*KEX, id='create_fn')
    def create(**kwargs):
        called('create_fn', kwargs)


@scenario('permanent error plus good', create_and_wait())
def permanent_error(called):
    @kopf.on.create(*KEX, id='bad')
    def bad(**kwargs):
        called('bad', kwargs)
        raise kopf.PermanentError('no way')

    @kopf.on.create(*KEX, id='good')
    def good(**kwargs):
        called('good', kwargs)


@scenario('sub-handlers', create_and_wait())
def sub_handlers(called):
    @kopf.on.create(*KEX, id='parent')
    def parent(**kwargs):
        called('parent', kwargs)

        @kopf.subhandler(id='k1')
        def first(**kwargs):
            called('parent/k1', kwargs)
            return 'r1'

        @kopf.subhandler(id='k2')
        def second(**kwargs):
            called('parent/k2', kwargs)


@scenario('field handler', create_and_change(field('v2'), {'spec': {'other': 1}}, field(None)))
def field_handler(called):
    @kopf.on.field(*KEX, field='spec.field', id='fld')
    def changed(old, new, diff, **kwargs):
        called('fld', kwargs, old=old, new=new, diff=diff)


@scenario('user patch incl. status, no subresource', create_and_wait())
def patch_of_everything(called):
    @kopf.on.create(*KEX, id='p')
    def create(patch, **kwargs):
        called('p', kwargs)
        patch.spec['added'] = 1
        patch.status['s'] = 't'
        patch.meta.annotations['my/anno'] = '1'
        return 'res'


@scenario('permanent error in delete', create_and_delete())
def permanent_error_in_deletion(called):
    @kopf.on.delete(*KEX, id='d')
    def delete(**kwargs):
        called('d', kwargs)
        raise kopf.PermanentError('cannot')


@scenario('timer', create_and_delete())
def timer(called):
    @kopf.timer(*KEX, id='t', interval=1)
    def tick(**kwargs):
        called('t', kwargs)
        return {'n': 1}


@scenario('on.event', create_update_delete)
def events_of_the_watch(called):
    @kopf.on.event(*KEX, id='e')
    def event(type, **kwargs):
        called('e', kwargs, type=type)
        return 'seen'


@scenario('update while creation is being retried', create_and_change(field('v2'), end=3))
def superseded_creation(called):
    @kopf.on.create(*KEX, id='slow')
    def create(retry, **kwargs):
        called('slow', kwargs, retry=retry)
        raise kopf.TemporaryError('not yet', delay=3)

    @kopf.on.update(*KEX, id='upd')
    def update(diff, **kwargs):
        called('upd', kwargs, diff=diff)


@scenario('update retried, same id resumes', create_and_change(field('v2'), end=2))
def retried_update(called):
    @kopf.on.create(*KEX, id='c')
    def create(**kwargs):
        called('c', kwargs)

    @kopf.on.update(*KEX, id='both')
    @kopf.on.resume(*KEX, id='both')
    def both(retry, **kwargs):
        called('both', kwargs, retry=retry)
        if retry < 1:
            raise kopf.TemporaryError('again', delay=1)
        return {'n': retry}


@scenario('deletion while creation is being retried', create_and_delete())
def deletion_in_creation(called):
    @kopf.on.create(*KEX, id='slow')
    def create(retry, **kwargs):
        called('slow', kwargs, retry=retry)
        raise kopf.TemporaryError('not yet', delay=30)

    @kopf.on.delete(*KEX, id='bye')
    def delete(**kwargs):
        called('bye', kwargs)
        return 'gone'


@scenario('nested sub-handlers, one fails', create_and_wait(6))
def nested_sub_handlers(called):
    @kopf.on.create(*KEX, id='p')
    def parent(retry, **kwargs):
        called('p', kwargs, retry=retry)

        @kopf.subhandler(id='x')
        def x(retry, **kwargs):
            called('p/x', kwargs, retry=retry)

            @kopf.subhandler(id='y')
            def y(retry, **kwargs):
                called('p/x/y', kwargs, retry=retry)
                if retry < 1:
                    raise kopf.TemporaryError('sub wait', delay=0.5)
                return 'ry'

        @kopf.subhandler(id='z')
        def z(**kwargs):
            called('p/z', kwargs)
            raise kopf.PermanentError('z failed')


@scenario('retries limited to two', create_and_wait(5))
def limited_retries(called):
    @kopf.on.create(*KEX, id='lim', retries=2, backoff=0.5)
    def create(retry, **kwargs):
        called('lim', kwargs, retry=retry)
        raise RuntimeError('boom')


@scenario('errors permanent and ignored', create_and_wait())
def modes_of_errors(called):
    @kopf.on.create(*KEX, id='ep', errors=kopf.ErrorsMode.PERMANENT)
    def permanent(**kwargs):
        called('ep', kwargs)
        raise RuntimeError('boom')

    @kopf.on.create(*KEX, id='ei', errors=kopf.ErrorsMode.IGNORED)
    def ignored(**kwargs):
        called('ei', kwargs)
        raise RuntimeError('never mind')


@scenario('old, new and value filters', create_and_change(field('v2'), field('v3'), field('v1'), pause=1.2))
def filters_of_changes(called):
    @kopf.on.update(*KEX, id='reach', field='spec.field', new='v3')
    def reach(old, new, **kwargs):
        called('reach', kwargs, old=old, new=new)

    @kopf.on.update(*KEX, id='lose', field='spec.field', old='v1')
    def lose(old, new, **kwargs):
        called('lose', kwargs, old=old, new=new)

    @kopf.on.update(*KEX, id='val', field='spec.field', value='v2')
    def value(old, new, **kwargs):
        called('val', kwargs, old=old, new=new)


@scenario('stealth until a label comes, and after it goes', create_and_change(
    field('v2'),
    {'metadata': {'labels': {'on': 'yes'}}},
    field('v3'),
    {'metadata': {'labels': {'on': None}}},
    field('v4'),
    pause=1.2,
))
def stealth(called):
    @kopf.on.create(*KEX, id='c', labels={'on': 'yes'})
    def create(**kwargs):
        called('c', kwargs)

    @kopf.on.update(*KEX, id='u', labels={'on': 'yes'})
    def update(**kwargs):
        called('u', kwargs)


@scenario('handler changes the spec itself', create_and_wait())
def own_change(called):
    @kopf.on.create(*KEX, id='c')
    def create(patch, **kwargs):
        called('c', kwargs)
        patch.spec['field'] = 'own'

    @kopf.on.update(*KEX, id='u')
    def update(diff, **kwargs):
        called('u', kwargs, diff=diff)


@scenario('long id with a slash', create_and_wait(5))
def long_id(called):
    @kopf.on.create(*KEX, id='a_very_long_handler_identifier_that_goes_far_beyond_the_limit_of_63/with.slash')
    def create(retry, **kwargs):
        called('long', kwargs, retry=retry)
        if retry < 1:
            raise kopf.TemporaryError('wait', delay=0.5)
        return 'ok'


@scenario('other finalizers present', delete_with_other_finalizers)
def other_finalizers(called):
    @kopf.on.delete(*KEX, id='d')
    def delete(**kwargs):
        called('d', kwargs)


def declare_temporary_error(called):
    @kopf.on.create(*KEX, id='tmp')
    def create(retry, **kwargs):
        called('tmp', kwargs, retry=retry)
        if retry < 2:
            raise kopf.TemporaryError('wait', delay=1)
        return {'ok': True}


def use_own_prefix(settings):
    prefix = 'my-op.example.com'
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix=prefix)
    settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage(prefix=prefix, key='last')
    settings.persistence.finalizer = f'{prefix}/fin'


@scenario('own prefix and finalizer', create_and_delete(2.5), configure=use_own_prefix)
def own_prefix(called):
    declare_temporary_error(called)

    @kopf.on.delete(*KEX, id='d')
    def delete(**kwargs):
        called('d', kwargs)


def use_status(settings):
    settings.persistence.progress_storage = kopf.StatusProgressStorage(field='status.my-op')
    settings.persistence.diffbase_storage = kopf.StatusDiffBaseStorage(field='status.base')


@scenario('status storages, with subresource', create_and_wait(5), status_subresource=True, configure=use_status)
def status_storages(called):
    declare_temporary_error(called)


@scenario('events posted', create_and_wait())
def posted_events(called):
    @kopf.on.create(*KEX, id='c')
    def create(body, **kwargs):
        called('c', kwargs)
        kopf.info(body, reason='Some', message='hello')
        kopf.event(body, type='MyType', reason='Other', message='x' * 1100)
        kopf.warn(body, reason='W', message='careful')


@scenario('three creation handlers', create_and_wait())
def three_handlers(called):
    def declare(index):
        @kopf.on.create(*KEX, id=f'h{index}')
        def create(**kwargs):
            called(f'h{index}', kwargs)
            return index

    for index in range(3):
        declare(index)


@scenario('patch by transformation', create_and_wait())
def transformation(called):
    def transform(body):
        body.setdefault('metadata', {}).setdefault('labels', {})['made'] = 'yes'
        body['spec']['list'] = [1, 2]

    @kopf.on.create(*KEX, id='t')
    def create(patch, **kwargs):
        called('t', kwargs)
        patch.fns.append(transform)
        return 'r'
