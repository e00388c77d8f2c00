"""`make bench`: what a durable step costs, beside a bare Celery chain, LangGraph's saver and the floor."""
