# glmnet on the matrix, response and grid that peers.py wrote; prints the seconds that glmnet itself took (CPU, wall).
suppressPackageStartupMessages({library(glmnet); library(Matrix)})
folder <- commandArgs(trailingOnly = TRUE)[1]
thresh <- as.numeric(commandArgs(trailingOnly = TRUE)[2])
family <- commandArgs(trailingOnly = TRUE)[3]
way <- commandArgs(trailingOnly = TRUE)[4]
read <- function(name, what, size = 8) readBin(file.path(folder, name), what, n = 2^31 - 1, size = size)
shape <- read("shape", "integer", 4)
values <- read("values", "double")
if (shape[3] == 1) {
  X <- new("dgCMatrix", i = read("rows", "integer", 4), p = read("indptr", "integer", 4), x = values, Dim = shape[1:2])
} else {
  X <- matrix(values, nrow = shape[1])
}
y <- read("y", "double")
lambda <- read("lambda", "double")
# Every point is wanted, also those after which little more is explained.
glmnet.control(fdev = 0, devmax = 1)
y <- if (family == "binomial") y > 0 else y
given <- list(X, y, family = family, lambda = lambda, thresh = thresh,
              standardize = FALSE, intercept = FALSE, maxit = 1e7)
given[[if (family == "binomial") "type.logistic" else "type.gaussian"]] <- way
fit <- function() do.call(glmnet, given)
time <- system.time(result <- fit())
# What R loads at a first call is not counted where it can be seen; the clock tells milliseconds.
if (time[["elapsed"]] < 0.5) time <- system.time(for (k in 1:5) fit()) / 5
beta <- as(result$beta, "CsparseMatrix")
write <- function(name, x) writeBin(x, file.path(folder, name))
write("beta_rows", beta@i)
write("beta_indptr", beta@p)
write("beta_values", beta@x)
cat(time[["user.self"]] + time[["sys.self"]], time[["elapsed"]], ncol(beta), as.character(packageVersion("glmnet")), "\n")
