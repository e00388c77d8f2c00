"""Requirements of made-up companies, each with the query whose rows it should give: for a model, by `bullpen eval etl --cases FOLDER`."""
