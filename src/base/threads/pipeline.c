/* SPDX-License-Identifier: MIT */
/* Work in order, and the threads that do it. Steps take long compared with taking a lock, so one lock for all
 * pipelines of a context is simple and enough. */
#include "base/threads/pipeline.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/memory.h"

/* ---- steps ---- */

typedef struct step {
	sheaf_pipeline *p;
	int64_t item;
	bool follows;
} step;

static void *place(const sheaf_pipeline *p, int64_t n)
{
	return p->items + (size_t)(n % p->depth) * p->item_size;
}

static uint8_t *mark(const sheaf_pipeline *p, int64_t n)
{
	return p->items + (size_t)p->depth * p->item_size + (size_t)(n % p->depth);
}

static bool is_worked(const sheaf_pipeline *p, int64_t n) { return !p->steps.work || *mark(p, n); }

static bool find_follow(sheaf_pipeline *p, step *out)
{
	bool any = p->steps.follow && !p->following && p->followed < p->submitted && is_worked(p, p->followed);
	if (any) *out = (step){p, p->followed, true};
	return any;
}

static bool find_work(sheaf_pipeline *p, step *out)
{
	bool any = p->steps.work && p->begun < p->submitted;
	if (any) *out = (step){p, p->begun, false};
	return any;
}

/* A thread that waits for an item must not run another pipeline's `follow`, which may wait for a slow input;
 * only the pool's threads do. */
static bool find_step(sheaf_pool *pool, bool follows, step *out)
{
	for (sheaf_pipeline *p = pool->pipelines; follows && p; p = p->next)
		if (!p->held && find_follow(p, out)) return true;
	for (sheaf_pipeline *p = pool->pipelines; p; p = p->next)
		if (!p->held && find_work(p, out)) return true;
	return false;
}

static void do_step(sheaf_pool *pool, step s)
{
	sheaf_pipeline *p = s.p;
	p->running++;
	if (s.follows)
		p->following = true;
	else
		p->begun++;
	sheaf_mutex_unlock(&pool->lock);
	(s.follows ? p->steps.follow : p->steps.work)(p->steps.user, place(p, s.item));
	sheaf_mutex_lock(&pool->lock);
	p->running--;
	if (s.follows) {
		p->following = false;
		p->followed++;
	} else {
		*mark(p, s.item) = true;
	}
	step more;
	if (find_follow(p, &more)) sheaf_signal_one(&pool->work);
	sheaf_signal_all(&pool->done);
}

/* ---- threads ---- */

static void *serve(void *user)
{
	sheaf_pool *pool = (sheaf_pool *)user;
	step s;
	sheaf_mutex_lock(&pool->lock);
	while (!pool->closing) {
		if (find_step(pool, true, &s))
			do_step(pool, s);
		else
			sheaf_signal_wait(&pool->work, &pool->lock);
	}
	sheaf_mutex_unlock(&pool->lock);
	return NULL;
}

/* If the system refuses a thread, the others do its work. */
static void start_threads(sheaf_pool *pool)
{
	while (pool->started < pool->wanted) {
		if (sheaf_thread_start(&pool->threads[pool->started], serve, pool))
			pool->started++;
		else
			pool->wanted = pool->started;
	}
}

/* ---- pipelines ---- */

sheaf_status sheaf_pipeline_open(sheaf_pipeline *p, sheaf_context *cx, size_t item_size, int depth,
                                 sheaf_pipeline_steps steps, sheaf_error *err)
{
	*p = (sheaf_pipeline){
		.cx = cx, .steps = steps, .item_size = item_size, .depth = depth, .held = depth == 1};
	SHEAF_TRY(sheaf_allocate_array(cx, (uint64_t)depth, item_size + 1, &p->items, err));
	p->pool = sheaf_context_pool(cx);
	sheaf_mutex_lock(&p->pool->lock);
	p->next = p->pool->pipelines;
	p->pool->pipelines = p;
	sheaf_mutex_unlock(&p->pool->lock);
	return SHEAF_OK;
}

static void wait_for_steps(sheaf_pipeline *p)
{
	p->held = true;
	while (p->running > 0) sheaf_signal_wait(&p->pool->done, &p->pool->lock);
}

void sheaf_pipeline_close(sheaf_pipeline *p)
{
	if (!p->pool) return;
	sheaf_mutex_lock(&p->pool->lock);
	wait_for_steps(p);
	sheaf_pipeline **link = &p->pool->pipelines;
	while (*link != p) link = &(*link)->next;
	*link = p->next;
	sheaf_mutex_unlock(&p->pool->lock);
	for (int i = 0; p->steps.drop && i < p->depth; i++) p->steps.drop(p->steps.user, place(p, i));
	sheaf_release(p->cx, p->items, (size_t)p->depth * (p->item_size + 1));
	*p = (sheaf_pipeline){0};
}

int64_t sheaf_pipeline_count(const sheaf_pipeline *p) { return p->submitted - p->passed; }

void *sheaf_pipeline_free_item(sheaf_pipeline *p)
{
	return sheaf_pipeline_count(p) < p->depth ? place(p, p->submitted) : NULL;
}

/* A single item is processed by the thread that waits for it; but with a `follow` the caller may not return
 * soon. */
void sheaf_pipeline_submit(sheaf_pipeline *p)
{
	sheaf_mutex_lock(&p->pool->lock);
	*mark(p, p->submitted) = false;
	p->submitted++;
	if (!p->held && (p->steps.follow || sheaf_pipeline_count(p) > 1)) {
		start_threads(p->pool);
		sheaf_signal_one(&p->pool->work);
	}
	sheaf_mutex_unlock(&p->pool->lock);
}

static bool is_complete(const sheaf_pipeline *p)
{
	return p->steps.follow ? p->followed > p->passed : is_worked(p, p->passed);
}

bool sheaf_pipeline_is_ready(sheaf_pipeline *p)
{
	sheaf_mutex_lock(&p->pool->lock);
	bool ready = p->submitted > p->passed && is_complete(p);
	sheaf_mutex_unlock(&p->pool->lock);
	return ready;
}

void *sheaf_pipeline_first(sheaf_pipeline *p)
{
	step s;
	if (p->submitted == p->passed) return NULL;
	sheaf_mutex_lock(&p->pool->lock);
	while (!is_complete(p)) {
		/* While the pipeline is held, only the first item is processed, even if there are others. */
		bool own = find_follow(p, &s) || ((!p->held || p->begun == p->passed) && find_work(p, &s));
		if (own || find_step(p->pool, false, &s))
			do_step(p->pool, s);
		else
			sheaf_signal_wait(&p->pool->done, &p->pool->lock);
	}
	sheaf_mutex_unlock(&p->pool->lock);
	return place(p, p->passed);
}

void sheaf_pipeline_pass(sheaf_pipeline *p)
{
	sheaf_mutex_lock(&p->pool->lock);
	p->passed++;
	if (!p->steps.follow) p->followed = p->passed;
	if (!p->steps.work) p->begun = p->passed;
	sheaf_mutex_unlock(&p->pool->lock);
}

void sheaf_pipeline_hold(sheaf_pipeline *p)
{
	sheaf_mutex_lock(&p->pool->lock);
	wait_for_steps(p);
	sheaf_mutex_unlock(&p->pool->lock);
}

void *sheaf_pipeline_item(sheaf_pipeline *p, int64_t i) { return place(p, p->passed + i); }
