"""Celery, thin: queues, tasks, and the threads that a worker process keeps beside them."""
